-- A login can be closed before its token ends: it then makes no further connection and opens nothing. Apart from the
-- count of exchanges, because a login that has made its share is still good for the approval page.
alter table login_grants add column closed_at timestamptz;

create function login_grants_stay_closed() returns trigger language plpgsql as $$
begin
  raise exception 'a closed login stays closed' using errcode = 'LG001';
end $$;
create trigger login_grants_stay_closed before update on login_grants
  for each row when (old.closed_at is not null and new.closed_at is distinct from old.closed_at)
  execute function login_grants_stay_closed();

-- Old sessions are deleted when nothing refers to them, and each deletion asks here.
create index login_grants_session_id_idx on login_grants (session_id);
