create or replace function sessions_delete_guard() returns trigger language plpgsql as $$
begin
  if least(old.expires_at, old.ended_at) > now() - interval '1 day' then
    raise exception 'only a session that ended a day ago may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;
