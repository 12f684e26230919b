create or replace function events_immutable() returns trigger language plpgsql as $$
begin
  raise exception 'an event never changes' using errcode = 'EV001';
end $$;
