-- A login may be deleted a day after it ended, with the last of its connections.
create or replace function login_grants_delete_guard() returns trigger language plpgsql as $$
begin
  if least(old.expires_at, old.closed_at) > now() - interval '1 day'
     or exists (select from connections where login_grant_id = old.id) then
    raise exception 'only a login that ended a day ago and that no connection names may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;
