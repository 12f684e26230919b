-- Stores one row in an empty table, so that the database has to enlarge its files: a row in place of an old one would fit on a full disk.
-- False when another instance is checking, or a backup is reading the table.
create or replace function check_writes() returns boolean language plpgsql as $$
begin
  lock table write_checks in access exclusive mode nowait;
  truncate write_checks;
  insert into write_checks (id) values (1);
  return true;
exception when lock_not_available then
  return false;
end
$$;
