-- Refusals are deleted after two hours, not after 25.
-- A stored refusal answers a delayed call, and the signature and the deadline of a call expire within minutes. A refusal may be
-- deleted after an hour; what was received stays.
create or replace function lightning_node.receipts_delete_guard() returns trigger language plpgsql as $$
begin
  if old.state <> 'refused' or old.created_at > now() - interval '1 hour' then
    raise exception 'only a refusal older than an hour may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;
