-- Adds a fault to a user's connection. `outcome`: added | many (the connection has `max_active` active faults) | unknown (the
-- user has no such active connection). Concurrent calls queue at the connection's row, so the count is exact. refresh_faults
-- waits for the same row.
create or replace function add_connection_fault(
  of_connection text, of_user text, fault_kind text, fault_stage text, fault_seconds integer, calls integer, minutes integer,
  max_active integer
) returns table (outcome text, fault_id bigint, ends_at timestamptz) language plpgsql as $$
begin
  perform 1 from connections
    where id = of_connection and user_id = of_user and revoked_at is null
      and (connections.expires_at is null or connections.expires_at > now())
    for no key update;
  if not found then
    outcome := 'unknown';
  elsif (select count(*) from connection_faults f
         where f.connection_id = of_connection and f.calls_left > 0 and f.expires_at > now()) >= max_active then
    outcome := 'many';
  else
    insert into connection_faults as f (connection_id, kind, stage, seconds, calls_left, expires_at)
      values (of_connection, fault_kind, fault_stage, fault_seconds, calls, now() + make_interval(mins => minutes))
      returning f.id, f.expires_at into fault_id, ends_at;
    update connections set faults_until = greatest(faults_until, ends_at) where id = of_connection;
    outcome := 'added';
  end if;
  return next;
end $$;
