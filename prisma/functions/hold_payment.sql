-- Reserves a wallet's money for an outgoing payment. `outcome`: held (the payment is new, and `worker` acts on it) | known (the
-- hash has an open or successful payment, or the Idempotency-Key was used: the caller looks that payment up) | wrapped (another
-- invoice uses the hash of an invoice of ours) | expired | many (the user has `max_open` open payments already).
create or replace function hold_payment(
  paid_hash text, paid_invoice text, payer text, through_connection text, from_wallet bigint, paid_quote bigint, to_node text,
  to_payee text, msats bigint, fee_limit bigint, held_debit bigint, snapshot text, memo text, memo_hash text, expiry timestamptz,
  own_preimage text, shown_metadata jsonb, client_key text, max_open integer, worker text, lease interval
) returns table (outcome text, payment_id bigint) language plpgsql as $$
begin
  -- Copies and other payments of one user queue here, so the count below is true.
  perform 1 from users where id = payer for no key update;
  select id into payment_id from payments
    where payments.payment_hash = paid_hash and state <> 'failed' or user_id = payer and connection_id is not distinct from through_connection and idempotency_key = client_key and state <> 'failed'
    order by id limit 1;
  if found then
    outcome := 'known';
    return next;
    return;
  end if;
  if exists (select from invoices where invoices.payment_hash = paid_hash) then
    outcome := 'wrapped';
  elsif expiry <= clock_timestamp() then
    outcome := 'expired';
  elsif (select count(*) from payments where user_id = payer and state in ('held', 'sending')) >= max_open then
    outcome := 'many';
  else
    insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, quote_id, node_key, payee_key, amount_msats,
                          fee_limit_msats, debit, rate_snapshot_id, description, description_hash, expires_at, keysend_preimage,
                          metadata, idempotency_key, state, lease_owner, lease_expires_at)
      values (paid_hash, paid_invoice, payer, through_connection, from_wallet, paid_quote, to_node, to_payee, msats, fee_limit,
              held_debit, snapshot, memo, memo_hash, expiry, own_preimage, shown_metadata, client_key, 'held', worker, now() + lease)
      -- Another user may have taken the hash since it was looked up.
      on conflict (payment_hash) where state <> 'failed' do nothing
      returning id into payment_id;
    if payment_id is null then
      outcome := 'known';
      select id into payment_id from payments where payments.payment_hash = paid_hash and state <> 'failed';
    else
      perform post_entry('hold', 'hold:' || payment_id, array[a.id, h.id], array[-held_debit, held_debit], payment_id)
        from ledger_accounts a, ledger_accounts h
        where a.wallet_id = from_wallet and a.kind = 'available' and h.wallet_id = from_wallet and h.kind = 'held';
      outcome := 'held';
    end if;
  end if;
  return next;
end $$;
