-- The currency of the wallet that the user chose as the default. Without one, `position` alone orders the wallets. A wallet of this
-- currency need not exist: the order is then that of `position`.
alter table users add column default_currency text
  constraint users_default_currency_form check (default_currency ~ '^[A-Z]{3}$');
