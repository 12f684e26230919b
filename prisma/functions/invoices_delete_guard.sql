-- Any client can request an invoice over LNURL without a signature. A day after such an invoice expired, it can no longer be
-- paid, and no delayed request asks for it: if unpaid, it may be deleted with its request. Every other invoice stays.
create or replace function invoices_delete_guard() returns trigger language plpgsql as $$
begin
  if old.settled_at is not null or old.fixed_credit is null or old.expires_at > now() - interval '1 day'
     or not exists (select from uma_pay_requests where invoice_id = old.id and protocol = 'lnurl')
     or exists (select from payments where payment_hash = old.payment_hash)
     or exists (select from quotes where payment_hash = old.payment_hash)
     or exists (select from incoming_payments where payment_hash = old.payment_hash)
     or exists (select from lightning_node.receipts where payment_hash = old.payment_hash and state = 'received') then
    raise exception 'only an unpaid invoice of an unsigned request may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;
