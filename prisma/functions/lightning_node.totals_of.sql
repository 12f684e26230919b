-- What our records show for a peer, in msats. What was accepted counts like a payment; a send in flight may have arrived.
create or replace function lightning_node.totals_of(of_peer text)
  returns table (sent bigint, in_flight bigint, received bigint) language sql as $$
  with accepted as (
    select coalesce(sum(i.amount_msats) filter (where i.direction = 'sent'), 0) as sent,
           coalesce(sum(i.amount_msats) filter (where i.direction = 'received'), 0) as received
    from lightning_node.reconciliation_items i where i.peer = of_peer and i.accepted_at is not null
  ), sends as (
    select coalesce(sum(s.amount_msats) filter (where s.state = 'succeeded'), 0) as sent,
           coalesce(sum(s.amount_msats) filter (where s.state = 'in_flight'), 0) as in_flight
    from lightning_node.sends s where s.payee = of_peer
  ), receipts as (
    select coalesce(sum(r.amount_msats), 0) as received
    from lightning_node.receipts r where r.payer = of_peer and r.state = 'received'
  )
  select (sends.sent + accepted.sent)::bigint, sends.in_flight::bigint, (receipts.received + accepted.received)::bigint
  from accepted, sends, receipts
$$;
