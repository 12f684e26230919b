-- Refuses this attempt for good, unless it was received before: the final answer for an attempt that never arrived.
create or replace function lightning_node.refuse(asking_payer text, asked_hash text, asked_attempt text, reason text)
  returns table (state text, preimage text, failure text, amount_msats bigint) language plpgsql as $$
begin
  insert into lightning_node.receipts (payer, payment_hash, attempt, state, failure)
    values (asking_payer, asked_hash, asked_attempt, 'refused', reason)
    on conflict do nothing;
  return query select * from lightning_node.answer_of(asking_payer, asked_hash, asked_attempt);
end $$;
