-- Deletes those of the given connections that ended ninety days ago and that nothing names, and each login whose last connection
-- goes. Returns the number of connections. Logins are locked first, as an exchange locks them, so that of two instances the one
-- that deletes a login's last connection sees that it is the last. What another transaction has locked is left for the next time.
-- The lookups are those of `connections_delete_guard`. `unnest` hides the length of a list, for which the planner would read all rows.
create or replace function forget_connections(ended text[]) returns integer language plpgsql as $$
declare
  logins text[] := array(select id from login_grants
                         where id = any (array(select login_grant_id from connections where id = any (array(select unnest(ended)))))
                         for update skip locked);
  gone integer;
begin
  delete from connections where id = any (array(
    select c.id from connections c
    where c.id = any (array(select unnest(ended))) and c.login_grant_id = any (logins) and least(c.revoked_at, c.expires_at) <= now() - interval '90 days'
      and (select id from payments where connection_id between c.id and c.id
           order by connection_id, created_at desc, id desc limit 1) is null
      and (select id from quotes where connection_id between c.id and c.id order by connection_id, expires_at limit 1) is null
      and (select payment_hash from address_payment_keys where connection_id between c.id and c.id
           order by connection_id, idempotency_key limit 1) is null
      and (select id from connection_faults where connection_id between c.id and c.id order by connection_id limit 1) is null
      and (select id from events where connection_id between c.id and c.id order by connection_id, id desc limit 1) is null
    for update skip locked));
  get diagnostics gone = row_count;
  delete from login_grants where id = any (array(select unnest(logins)))
    and not exists (select from connections c where c.login_grant_id = login_grants.id offset 0);
  return gone;
end $$;
