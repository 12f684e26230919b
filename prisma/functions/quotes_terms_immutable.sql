-- A quote can end earlier than promised, never later. Nothing else about it changes.
create or replace function quotes_terms_immutable() returns trigger language plpgsql as $$
declare
  expected quotes%rowtype := old;
begin
  expected.expires_at := least(old.expires_at, new.expires_at);
  if new is distinct from expected then
    raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
  end if;
  return new;
end $$;
