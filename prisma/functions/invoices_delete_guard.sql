-- An unpaid invoice that nothing names may be deleted thirty days after it expired. Any client can request an invoice over LNURL
-- without a signature: one that was requested so may be deleted after a day. It can no longer be paid, and no delayed request asks
-- for it. The invoice's row lock decides between its deletion and a late payment, which then finds no invoice and is refused.
create or replace function invoices_delete_guard() returns trigger language plpgsql as $$
begin
  if old.settled_at is not null
     or old.expires_at > now() - (case when exists (select from uma_pay_requests where invoice_id = old.id and protocol = 'lnurl')
                                    then interval '1 day' else interval '30 days' end)
     or exists (select from uma_pay_requests where invoice_id = old.id and uma_invoice_id is not null)
     or exists (select from payments where payment_hash = old.payment_hash)
     or exists (select from quotes where payment_hash = old.payment_hash)
     or exists (select from incoming_payments where payment_hash = old.payment_hash)
     or exists (select from lightning_node.receipts where payment_hash = old.payment_hash and state = 'received') then
    raise exception 'only an unpaid invoice that expired 30 days ago (1 day for an unsigned request) and that no payment, quote, receipt or UMA invoice names may be deleted'
      using errcode = 'LG005';
  end if;
  return old;
end $$;
