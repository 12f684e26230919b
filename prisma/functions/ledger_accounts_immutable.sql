-- No statement sets a balance: an update that does not come from the trigger of postings is refused.
create or replace function ledger_accounts_immutable() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2
     or (new.id, new.kind, new.currency_code, new.wallet_id, new.node_key)
        is distinct from (old.id, old.kind, old.currency_code, old.wallet_id, old.node_key) then
    raise exception 'ledger accounts change through postings only' using errcode = 'LG003';
  end if;
  return new;
end $$;
