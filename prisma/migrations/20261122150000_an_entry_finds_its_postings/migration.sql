-- As before, by counting. For "is there one?" the planner expects to come upon a row early in a small table, reads the table
-- through, and keeps to that while the table grows: until it is analyzed, which the embedded database never does.
create or replace function journal_entries_balance() returns trigger language plpgsql as $$
begin
  if (select count(*) from postings where entry_id = new.id) = 0 then
    raise exception 'entry % has no postings', new.id using errcode = 'LG001';
  end if;
  return null;
end $$;
