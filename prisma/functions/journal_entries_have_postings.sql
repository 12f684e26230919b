-- Counts instead of `exists`: for `exists` the planner expects an early row in a small table, scans the table, and keeps that
-- plan while the table grows, until the table is analyzed, which the embedded database never does.
create or replace function journal_entries_have_postings() returns trigger language plpgsql as $$
begin
  if (select count(*) from postings where entry_id = new.id) = 0 then
    raise exception 'entry % has no postings', new.id using errcode = 'LG001';
  end if;
  return null;
end $$;
