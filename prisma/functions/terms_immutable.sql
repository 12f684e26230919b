create or replace function terms_immutable() returns trigger language plpgsql as $$
begin
  raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
end $$;
