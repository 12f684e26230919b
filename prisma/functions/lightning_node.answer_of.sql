-- The node's stored answer to an attempt; `failure` says why it was refused. An answer never changes.
create or replace function lightning_node.answer_of(asking_payer text, asked_hash text, asked_attempt text)
  returns table (state text, preimage text, failure text, amount_msats bigint) language sql as $$
  select r.state, r.preimage, r.failure, r.amount_msats from lightning_node.receipts r
  where r.payer = asking_payer and r.payment_hash = asked_hash and r.attempt = asked_attempt
$$;
