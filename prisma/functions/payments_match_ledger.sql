create or replace function payments_match_ledger() returns trigger language plpgsql as $$
begin
  -- The entries of a new payment come after it, and each checks by itself.
  if tg_op = 'INSERT' and exists (select from journal_entries where payment_id = new.id) then
    return null;
  end if;
  perform payment_must_be_posted(new.id);
  return null;
end $$;
