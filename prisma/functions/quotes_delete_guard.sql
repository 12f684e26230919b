-- A quote that nobody used may be deleted thirty days after it expired. A quote of a payment, of an idempotency key that may be
-- repeated, or of a UMA invoice stays.
create or replace function quotes_delete_guard() returns trigger language plpgsql as $$
begin
  if old.expires_at > now() - interval '30 days' or old.uma_invoice_uuid is not null
     or exists (select from payments where quote_id = old.id)
     or exists (select from payments where payment_hash = old.payment_hash)
     or exists (select from address_payment_keys where payment_hash = old.payment_hash) then
    raise exception 'only a quote that expired 30 days ago and that no payment, idempotency key or UMA invoice names may be deleted'
      using errcode = 'LG005';
  end if;
  return old;
end $$;
