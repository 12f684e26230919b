-- A key may be repeated while its connection is active, and an ended connection stays ended.
create or replace function address_payment_keys_delete_guard() returns trigger language plpgsql as $$
begin
  if not exists (select from connections
                 where id = old.connection_id and least(revoked_at, expires_at) <= now() - interval '90 days') then
    raise exception 'only an idempotency key whose connection ended 90 days ago may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;
