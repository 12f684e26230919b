-- held -> sending -> succeeded or failed, and held -> failed.
create or replace function payments_state_transition() returns trigger language plpgsql as $$
begin
  if (old.state, new.state) not in
     (values ('held', 'sending'), ('held', 'failed'), ('sending', 'succeeded'), ('sending', 'failed')) then
    raise exception 'a payment does not go from % to %', old.state, new.state using errcode = 'PY002';
  end if;
  return new;
end $$;
