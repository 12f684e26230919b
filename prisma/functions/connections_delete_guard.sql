-- A connection may be deleted ninety days after it ended. A connection of a payment stays, and so do its payments.
create or replace function connections_delete_guard() returns trigger language plpgsql as $$
begin
  if coalesce(least(old.revoked_at, old.expires_at), 'infinity') > now() - interval '90 days'
     or exists (select from payments where connection_id = old.id)
     or exists (select from quotes where connection_id = old.id)
     or exists (select from address_payment_keys where connection_id = old.id)
     or exists (select from events where connection_id = old.id) then
    raise exception 'only a connection that ended 90 days ago and that no payment, quote, idempotency key or event names may be deleted'
      using errcode = 'CN003';
  end if;
  return old;
end $$;
