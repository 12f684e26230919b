-- Times that nothing reads: no query, function, trigger or page, and no guide for operators.
alter table users drop column closed_at;
alter table wallets drop column created_at;
alter table rate_snapshots drop column created_at;
alter table connection_faults drop column created_at;
alter table address_payment_keys drop column created_at;
alter table lightning_cursors drop column updated_at;
alter table uma_pay_requests drop column created_at;
alter table write_checks drop column checked_at;

-- Closes a user for good: sessions end, connections are revoked, open invoices and quotes expire, and no secret signs in. Wallets
-- and entries stay, and a payment in progress ends as usual. `only_unused`: only if the user was created on demand and has
-- expired. False when nothing was closed.
create or replace function close_user(of_user text, only_unused boolean) returns boolean language plpgsql as $$
begin
  perform 1 from users where id = of_user and status <> 'closed'
    and (not only_unused or made_on_demand and expires_at <= now()) for no key update;
  if not found then
    return false;
  end if;
  update users
    set status = 'closed', password_hash = 'closed', manage_token_hash = null, sign_in_code_hash = null
    where id = of_user;
  update sessions set ended_at = now() where user_id = of_user and ended_at is null;
  perform end_user_business(of_user);
  return true;
end $$;

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
