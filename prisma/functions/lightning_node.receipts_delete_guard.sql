-- A refusal is for a delayed call, and a call older than minutes is refused by its signature and its deadline. After a day a
-- refusal may be deleted; what was received stays.
create or replace function lightning_node.receipts_delete_guard() returns trigger language plpgsql as $$
begin
  if old.state <> 'refused' or old.created_at > now() - interval '1 day' then
    raise exception 'only a refusal older than a day may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;
