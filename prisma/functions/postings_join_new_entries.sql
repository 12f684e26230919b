-- An entry is complete when its transaction ends: nothing is added to it later.
create or replace function postings_join_new_entries() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from journal_entries where id = new.entry_id and xmin = pg_current_xact_id()::xid) then
    raise exception 'entry % is closed', new.entry_id using errcode = 'LG004';
  end if;
  return new;
end $$;
