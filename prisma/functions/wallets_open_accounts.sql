-- Every wallet has its two accounts from the moment it exists.
create or replace function wallets_open_accounts() returns trigger language plpgsql as $$
begin
  insert into ledger_accounts (kind, currency_code, wallet_id, balance)
    values ('available', new.currency_code, new.id, 0), ('held', new.currency_code, new.id, 0);
  return null;
end $$;
