create or replace function connections_delete_guard() returns trigger language plpgsql as $$
begin
  raise exception 'connections are never deleted' using errcode = 'CN003';
end $$;
