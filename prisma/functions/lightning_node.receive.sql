-- Receives a payment: the node's row, the incoming payment and the credit in one transaction, or a refusal. A keysend brings its
-- preimage, and its invoice is created here. `max_owed`: how much the peer may owe us after this payment, in msats.
-- The function raises LN001 (over that limit), LN002 or a unique violation (the hash was used, here or by another attempt that came first).
-- Then nothing is kept, and the caller refuses. To catch the error here would take a subtransaction, in which no entry can be
-- posted (`postings_join_new_entries`).
create or replace function lightning_node.receive(
  from_payer text, paid_hash text, this_attempt text, msats bigint, deadline timestamptz, max_owed bigint,
  sent_preimage text, payee text, to_wallet bigint, memo text, shown_metadata jsonb,
  credited_amount bigint, account_ids bigint[], amounts bigint[]
) returns table (state text, preimage text, failure text, amount_msats bigint) language plpgsql as $$
declare
  bill invoices%rowtype;
  reason text;
  booked text;
begin
  return query select * from lightning_node.answer_of(from_payer, paid_hash, this_attempt);
  if found then
    return;
  end if;
  if sent_preimage is null then
    select * into bill from invoices where invoices.payment_hash = paid_hash for update;
  end if;
  reason := case
    when deadline <= clock_timestamp() then 'late'
    when sent_preimage is null and (bill.id is null or bill.invoice is null) then 'unknown'
    when bill.settled_at is not null then 'paid'
    when bill.expires_at <= clock_timestamp() then 'expired'
    -- A payer may send a little more, never twice as much (BOLT 4).
    when msats < bill.amount_msats or msats > 2 * bill.amount_msats then 'amount'
  end;
  if reason is not null then
    return query select * from lightning_node.refuse(from_payer, paid_hash, this_attempt, reason);
    return;
  end if;
  insert into lightning_node.receipts (payer, payment_hash, attempt, state, amount_msats, preimage)
    values (from_payer, paid_hash, this_attempt, 'received', msats, coalesce(sent_preimage, bill.preimage));
  if sent_preimage is null then
    booked := book_incoming_payment(paid_hash, from_payer, msats, credited_amount, account_ids, amounts);
  else
    booked := book_incoming_keysend(paid_hash, sent_preimage, from_payer, msats, payee, to_wallet, memo, shown_metadata,
                                    credited_amount, account_ids, amounts);
  end if;
  if booked <> 'credited' then
    raise exception 'the hash was used' using errcode = 'LN002';
  end if;
  if (select balance from ledger_accounts where node_key = from_payer) < -max_owed then
    raise exception 'over the limit of this peer' using errcode = 'LN001';
  end if;
  return query select * from lightning_node.answer_of(from_payer, paid_hash, this_attempt);
end $$;
