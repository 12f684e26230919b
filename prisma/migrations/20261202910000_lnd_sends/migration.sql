-- LND identifies a payment by its hash alone, and pays the same hash again after a failure. A row for each send says which of LND's
-- payments is this one.
create table lightning_node.lnd_sends (
  -- The payment's id in the ledger.
  send_id        bigint primary key,
  payment_hash   text not null,
  -- begun: not sent yet. posted: the call to LND may have been sent.
  state          text not null,
  -- LND's latest payment of the hash before this send: it and earlier ones belong to other sends. 0 when there was none.
  previous_index bigint not null,
  -- LND's index of this send, once it is known.
  payment_index  bigint,
  preimage       text,
  fee_msats      bigint,
  failure        text,
  created_at     timestamptz not null default now(),
  ended_at       timestamptz,
  constraint lnd_sends_state_known check (state in ('begun', 'posted', 'succeeded', 'failed')),
  constraint lnd_sends_index_later check (payment_index > previous_index),
  constraint lnd_sends_failure_when_failed check ((failure is not null) = (state = 'failed')),
  constraint lnd_sends_preimage_fits check (encode(sha256(decode(preimage, 'hex')), 'hex') = payment_hash),
  constraint lnd_sends_succeeded_with_preimage check ((state = 'succeeded') = (preimage is not null and fee_msats is not null)),
  constraint lnd_sends_ended_when_done check ((state in ('begun', 'posted')) = (ended_at is null))
);
create index lnd_sends_payment_hash_idx on lightning_node.lnd_sends (payment_hash);
create trigger lnd_sends_settled_immutable before update on lightning_node.lnd_sends
  for each row when (old.state in ('succeeded', 'failed')) execute function settled_rows_immutable();
