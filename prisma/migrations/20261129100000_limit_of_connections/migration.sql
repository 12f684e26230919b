-- Stores a connection. `outcome`: created | login-closed (the login was closed, or its user is not active) | login-used-up (the login
-- has created `max_of_login` connections) | many (the user has `max_active` active connections).
-- Exchanges of one user queue at the user's row, so the counts are exact on every instance. The user's row is locked before the
-- login's, as in close_user. Closing the login waits for its row.
-- A host that is too long for a name loses its beginning, because no one can choose the end of a host freely.
create function create_connection(
  connection_id text, of_login text, of_user text, granted text[], expiry timestamptz, max_of_login integer, max_active integer
) returns text language plpgsql as $$
declare
  created_before integer;
  host text;
begin
  perform 1 from users where id = of_user and status = 'active' for no key update;
  if not found then
    return 'login-closed';
  end if;
  select exchanges, app_host into created_before, host from login_grants
    where id = of_login and user_id = of_user and closed_at is null for no key update;
  if not found then
    return 'login-closed';
  end if;
  if created_before >= max_of_login then
    return 'login-used-up';
  end if;
  if (select count(*) from (select from connections
                            where user_id = of_user and revoked_at is null and coalesce(expires_at, 'infinity') > now()
                            limit max_active) active) >= max_active then
    return 'many';
  end if;
  update login_grants set exchanges = exchanges + 1 where id = of_login;
  insert into connections (id, user_id, login_grant_id, name, permissions, expires_at)
    values (connection_id, of_user, of_login,
            coalesce(case when char_length(host) > 80 then '…' || right(host, 79) else host end,
                     'Connection of ' || to_char(now() at time zone 'UTC', 'FMDD FMMonth YYYY, HH24:MI:SS "UTC"')),
            granted, expiry);
  return 'created';
end $$;
