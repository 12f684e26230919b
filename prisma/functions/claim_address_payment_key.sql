-- Returns the quote that a key stands for: the given quote if the key is new or its earlier quote expired unpaid, otherwise the
-- earlier one. Returns no row when the key was used for another request.
create or replace function claim_address_payment_key(through_connection text, client_key text, fingerprint text, quote_hash text)
  returns table (paid_hash text) language plpgsql as $$
declare
  kept address_payment_keys%rowtype;
begin
  insert into address_payment_keys (connection_id, idempotency_key, request_fingerprint, payment_hash)
    values (through_connection, client_key, fingerprint, quote_hash) on conflict do nothing;
  select * into kept from address_payment_keys where connection_id = through_connection and idempotency_key = client_key for update;
  if kept.request_fingerprint <> fingerprint then
    return;
  end if;
  -- A payment of the quote locks its payer's row, or its invoice's when the receiver is ours. A payment in progress is waited
  -- for, and one that comes later finds the quote expired.
  perform 1 from users where id = (select user_id from quotes where payment_hash = kept.payment_hash) for no key update;
  perform 1 from invoices where payment_hash = kept.payment_hash for update;
  if exists (select from quotes where payment_hash = kept.payment_hash and expires_at <= clock_timestamp())
     and not exists (select from payments where payment_hash = kept.payment_hash and state <> 'failed') then
    update address_payment_keys set payment_hash = quote_hash
      where connection_id = through_connection and idempotency_key = client_key;
    kept.payment_hash := quote_hash;
  end if;
  paid_hash := kept.payment_hash;
  return next;
end $$;
