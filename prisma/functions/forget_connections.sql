-- Deletes those of the given connections that ended ninety days ago and that nothing names, and each login whose last connection
-- goes. Returns the number of connections. Logins are locked first, as an exchange locks them, so that of two instances the one
-- that deletes a login's last connection sees that it is the last. What another transaction has locked is left for the next time.
create or replace function forget_connections(ended text[]) returns integer language plpgsql as $$
declare
  logins text[] := array(select id from login_grants
                         where id = any (array(select login_grant_id from connections where id = any (ended))) for update skip locked);
  gone integer;
begin
  delete from connections where id = any (array(
    select c.id from connections c
    where c.id = any (ended) and c.login_grant_id = any (logins) and least(c.revoked_at, c.expires_at) <= now() - interval '90 days'
      and not exists (select from payments where connection_id = c.id offset 0)
      and not exists (select from quotes where connection_id = c.id offset 0)
      and not exists (select from address_payment_keys where connection_id = c.id offset 0)
      and not exists (select from connection_faults where connection_id = c.id offset 0)
      and not exists (select from events where connection_id = c.id offset 0)
    for update skip locked));
  get diagnostics gone = row_count;
  delete from login_grants where id = any (logins)
    and not exists (select from connections c where c.login_grant_id = login_grants.id offset 0);
  return gone;
end $$;
