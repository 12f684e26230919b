-- Rates that a presenter pinned, in place of those of the table in the code. Only with the sandbox tools.
create table pinned_rates (
  currency_code text primary key,
  -- The price of one bitcoin in smallest units of the currency.
  units_per_bitcoin bigint not null,
  pinned_at timestamptz not null,
  constraint pinned_rates_currency_code_form check (currency_code ~ '^[A-Z]{3}$'),
  -- Up to here, one smallest unit is worth two millisatoshis or more, as in the table.
  constraint pinned_rates_units_range check (units_per_bitcoin between 1 and 50000000000)
);
