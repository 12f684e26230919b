create or replace function users_closed_final() returns trigger language plpgsql as $$
begin
  raise exception 'a closed user stays closed' using errcode = 'US001';
end $$;
