-- An operator accepts a peer's totals, not single payments. An item of release 0.1.0 names a payment; a later one has the whole
-- difference of a direction and exists only once it is accepted. Items that 0.1.0 left open mean nothing any more: the same
-- difference shows in the totals.
alter table lightning_node.reconciliation_items
  alter column payment_hash drop not null,
  alter column attempt drop not null,
  add constraint reconciliation_items_payment_or_accepted check (payment_hash is not null or accepted_at is not null),
  add constraint reconciliation_items_payment_whole check ((payment_hash is null) = (attempt is null));

drop function lightning_node.accept_reconciliation_items(text, bigint, text, text);

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

-- Books what a peer's totals exceed our records by, once an operator accepts exactly this difference. The peer's account then
-- shows what the peer's records show; the other side is `suspense`. False, and nothing is booked, when the difference is another
-- one, as after a second call.
-- A restored database issues again the payment ids that it has forgotten, and the peer knows a payment by its id: it would
-- answer a new payment of a forgotten hash with the old success. So the next ids are far beyond the forgotten ones.
create or replace function lightning_node.accept_totals(
  of_peer text, peer_received bigint, peer_sent bigint, sent_difference bigint, received_difference bigint,
  operator text, given_reason text
) returns boolean language plpgsql as $$
declare
  known record;
  item record;
  item_id bigint;
begin
  lock table lightning_node.reconciliation_items in share row exclusive mode;
  select * into known from lightning_node.totals_of(of_peer);
  if sent_difference + received_difference = 0
     or sent_difference <> greatest(peer_received - known.sent - known.in_flight, 0)
     or received_difference <> greatest(peer_sent - known.received, 0) then
    return false;
  end if;
  for item in select * from (values ('sent', sent_difference, sent_difference), ('received', received_difference, -received_difference))
    as side (direction, amount_msats, to_peer) where side.amount_msats > 0
  loop
    insert into lightning_node.reconciliation_items (peer, direction, amount_msats, accepted_at, accepted_by, reason)
      values (of_peer, item.direction, item.amount_msats, now(), operator, given_reason)
      returning id into item_id;
    perform post_entry('reconciliation', 'reconciliation:' || item_id, array[p.id, s.id], array[item.to_peer, -item.to_peer])
      from ledger_accounts p, ledger_accounts s
      where p.node_key = of_peer and s.kind = 'suspense' and s.currency_code = 'SAT';
    if not found then
      raise exception 'the peer % has no account', of_peer using errcode = 'LG006';
    end if;
  end loop;
  if sent_difference > 0 then
    perform setval(pg_get_serial_sequence('payments', 'id'), nextval(pg_get_serial_sequence('payments', 'id')) + 1000000000);
  end if;
  return true;
end $$;
