-- A connection may be deleted ninety days after it ended, unless something names it. `between`, and the order of an index, leave the
-- planner that index only, however few connections most rows belong to.
create or replace function connections_delete_guard() returns trigger language plpgsql as $$
begin
  if coalesce(least(old.revoked_at, old.expires_at), 'infinity') > now() - interval '90 days'
     or (select id from payments where connection_id between old.id and old.id
         order by connection_id, created_at desc, id desc limit 1) is not null
     or (select id from quotes where connection_id between old.id and old.id order by connection_id, expires_at limit 1) is not null
     or (select payment_hash from address_payment_keys where connection_id between old.id and old.id
         order by connection_id, idempotency_key limit 1) is not null
     or (select id from events where connection_id between old.id and old.id order by connection_id, id desc limit 1) is not null then
    raise exception 'only a connection that ended 90 days ago and that no payment, quote, idempotency key or event names may be deleted'
      using errcode = 'CN003';
  end if;
  return old;
end $$;
