-- Pays a keysend from one of our users to another: both rows and the money in one transaction. `paid`, or `taken` when the hash
-- or the key was used before.
create or replace function settle_internal_keysend(
  own_preimage text, payer text, through_connection text, from_wallet bigint, payee text, to_wallet bigint, msats bigint,
  debited bigint, credited_amount bigint, snapshot text, memo text, shown_metadata jsonb, client_key text,
  account_ids bigint[], amounts bigint[]
) returns text language plpgsql as $$
declare
  paid_hash text := encode(sha256(decode(own_preimage, 'hex')), 'hex');
  new_id bigint;
begin
  perform 1 from users where id = payer for no key update;
  -- The caller looks up whatever was requested before, under this key or with this hash.
  if exists (select from payments where payment_hash = paid_hash and state <> 'failed'
             or user_id = payer and connection_id is not distinct from through_connection and idempotency_key = client_key and state <> 'failed') then
    return 'taken';
  end if;
  insert into invoices (payment_hash, preimage, user_id, wallet_id, amount_msats, description, metadata, settled_at, received_msats, credited)
    values (paid_hash, own_preimage, payee, to_wallet, msats, memo, shown_metadata, now(), msats,
            case when to_wallet <> from_wallet then credited_amount end)
    on conflict (payment_hash) do nothing;
  if not found then
    return 'taken';
  end if;
  insert into payments (payment_hash, user_id, connection_id, wallet_id, amount_msats, debit, rate_snapshot_id, description,
                        keysend_preimage, metadata, idempotency_key, state, preimage, settled_at)
    values (paid_hash, payer, through_connection, from_wallet, msats, debited, snapshot, memo, own_preimage, shown_metadata,
            client_key, 'succeeded', own_preimage, now())
    on conflict (payment_hash) where state <> 'failed' do nothing
    returning id into new_id;
  if new_id is null then
    -- An outgoing payment uses the hash: nothing of this is kept.
    raise exception 'the hash was used' using errcode = 'PY008';
  end if;
  if cardinality(account_ids) > 0 then
    perform post_entry('payment', 'payment:' || new_id, account_ids, amounts, new_id);
  end if;
  return 'paid';
end $$;
