-- A quote that nobody used may be deleted thirty days after it expired. A quote of a payment, of an idempotency key that may be
-- repeated, or of a UMA invoice stays.
create or replace function quotes_delete_guard() returns trigger language plpgsql as $$
begin
  if old.expires_at > now() - interval '30 days' or old.uma_invoice_uuid is not null
     or exists (select from payments where quote_id = old.id)
     or exists (select from payments where payment_hash = old.payment_hash)
     or exists (select from address_payment_keys where payment_hash = old.payment_hash) then
    raise exception 'only an old quote that nobody used may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;
create trigger quotes_delete_guard before delete on quotes for each row execute function quotes_delete_guard();
create trigger quotes_truncate_guard before truncate on quotes for each statement execute function append_only();

-- Finds quotes that may be deleted, oldest first.
create index quotes_expires_at_id_idx on quotes (expires_at, id);
