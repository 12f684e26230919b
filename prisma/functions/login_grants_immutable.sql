create or replace function login_grants_immutable() returns trigger language plpgsql as $$
begin
  raise exception 'a closed login stays closed' using errcode = 'LG001';
end $$;
