create or replace function settled_rows_immutable() returns trigger language plpgsql as $$
begin
  raise exception 'a settled row of % never changes', tg_table_name using errcode = 'PY001';
end $$;
