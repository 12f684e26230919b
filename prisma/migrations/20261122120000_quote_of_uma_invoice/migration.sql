-- A quote keeps the UMA invoice that it prices: who asks again asks for that one, and not for its receiver's address. A request
-- for payment is paid when a quote of its UMA invoice is, wherever the person found the invoice.
alter table quotes
  -- As it was found, without what may stand in front of it; and its own name, unique for its receiver.
  add column uma_invoice text check (length(uma_invoice) <= 2000),
  add column uma_invoice_uuid uuid,
  add constraint quotes_uma_invoice_has_name check ((uma_invoice is null) = (uma_invoice_uuid is null));

-- Quotes of requests that were agreed to before: their terms stay, so the trigger that sees to it looks away this once.
alter table quotes disable trigger quotes_terms_stay;
update quotes q set uma_invoice = r.encoded, uma_invoice_uuid = r.uuid
  from uma_requests r
  where r.state = 'paid' and r.payment_hash = q.payment_hash and r.user_id = q.user_id and r.receiver_address = q.receiver_address
    and length(r.encoded) <= 2000;
alter table quotes enable trigger quotes_terms_stay;
create index quotes_uma_invoice_uuid_idx on quotes (uma_invoice_uuid) where uma_invoice_uuid is not null;

-- What is paid is read from the payments, so that no mark can be forgotten or outlive a payment that failed. The column and the
-- state stay for processes of the release before, which may still run while this one starts.
update uma_requests set state = 'open' where state = 'paid';
