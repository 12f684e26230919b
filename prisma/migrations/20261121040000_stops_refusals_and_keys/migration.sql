-- Payments that stay stopped until a person has looked, refusals that are not kept for ever, and keys of requests that belong
-- to a connection.

-- A loss is a payment that was given back and was made after all. While a person has not acknowledged one, every process on
-- this database keeps payments stopped. The entry itself is what stops them, so that no crash can come in between.
create table loss_acknowledgements (
  payment_id      bigint primary key references payments (id) on delete restrict on update restrict,
  acknowledged_at timestamptz not null default now()
);
create trigger loss_acknowledgements_append_only before update or delete or truncate on loss_acknowledgements
  for each statement execute function ledger_is_append_only();
-- Losses are rare, and are looked for every few seconds.
create index journal_entries_loss_idx on journal_entries (payment_id) where kind = 'loss';

-- A refusal is for a call that was delayed, and a call that is older than minutes is refused by its signature and by its
-- deadline. After a day it may go; what was received stays for ever.
drop trigger receipts_append_only on lightning_node.receipts;
create trigger receipts_append_only before update or truncate on lightning_node.receipts
  for each statement execute function ledger_is_append_only();
create function lightning_node.only_old_refusals_go() returns trigger language plpgsql as $$
begin
  if old.state <> 'refused' or old.created_at > now() - interval '1 day' then
    raise exception 'what the node has received stays, and a refusal for a day' using errcode = 'LG005';
  end if;
  return old;
end $$;
create trigger receipts_old_refusals_go before delete on lightning_node.receipts
  for each row execute function lightning_node.only_old_refusals_go();
create index receipts_refused_idx on lightning_node.receipts (created_at) where state = 'refused';

-- An Idempotency-Key is the caller's own, and a caller is known by the connection: two apps of one person may use the same one.
drop index payments_idempotency_key_live_key;
create unique index payments_idempotency_key_live_key on payments (user_id, idempotency_key, coalesce(connection_id, ''))
  where idempotency_key is not null and state <> 'failed';

-- As before, with keys by connection.
create or replace function hold_payment(
  paid_hash text, paid_invoice text, payer text, through_connection text, from_wallet bigint, to_peer text, msats bigint,
  fee_limit bigint, most_debit bigint, snapshot text, memo text, memo_hash text, ends_at timestamptz, own_preimage text,
  shown_metadata jsonb, client_key text, most_open integer, worker text, lease interval
) returns table (outcome text, payment_id bigint) language plpgsql as $$
begin
  -- Copies and siblings of one user queue here, so that the count below is true.
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
  elsif ends_at <= clock_timestamp() then
    outcome := 'expired';
  elsif (select count(*) from payments where user_id = payer and state in ('held', 'sending')) >= most_open then
    outcome := 'many';
  else
    insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, peer, amount_msats, fee_limit_msats, debit,
                          rate_snapshot_id, description, description_hash, expires_at, keysend_preimage, metadata,
                          idempotency_key, state, claimed_by, claimed_until)
      values (paid_hash, paid_invoice, payer, through_connection, from_wallet, to_peer, msats, fee_limit, most_debit, snapshot,
              memo, memo_hash, ends_at, own_preimage, shown_metadata, client_key, 'held', worker, now() + lease)
      -- Another user may have taken the hash since it was looked up.
      on conflict (payment_hash) where state <> 'failed' do nothing
      returning id into payment_id;
    if payment_id is null then
      outcome := 'known';
      select id into payment_id from payments where payments.payment_hash = paid_hash and state <> 'failed';
    else
      perform post_entry('hold', 'hold:' || payment_id, array[a.id, h.id], array[-most_debit, most_debit], payment_id)
        from ledger_accounts a, ledger_accounts h
        where a.wallet_id = from_wallet and a.kind = 'available' and h.wallet_id = from_wallet and h.kind = 'held';
      outcome := 'held';
    end if;
  end if;
  return next;
end $$;

-- As before, with keys by connection.
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
  -- Whatever was asked for before, under this key or with this hash, is what the caller looks at.
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
    -- The hash is in use by a payment that leaves: nothing of this is kept.
    raise exception 'the hash was used' using errcode = 'PY008';
  end if;
  if cardinality(account_ids) > 0 then
    perform post_entry('payment', 'payment:' || new_id, account_ids, amounts, new_id);
  end if;
  return 'paid';
end $$;
