create or replace function ledger_accounts_start_empty() returns trigger language plpgsql as $$
begin
  if new.balance <> 0 then
    raise exception 'ledger accounts start empty' using errcode = 'LG003';
  end if;
  return new;
end $$;
