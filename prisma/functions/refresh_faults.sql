-- Sets until when calls of a connection look for faults. A session that adds a fault holds the connection's row until it commits,
-- so the second statement sees the fault.
create or replace function refresh_faults(of_connection text) returns void language plpgsql as $$
begin
  perform 1 from connections where id = of_connection for no key update;
  update connections
    set faults_until = (select max(f.expires_at) from connection_faults f
                        where f.connection_id = of_connection and f.calls_left > 0 and f.expires_at > now())
    where id = of_connection;
end $$;
