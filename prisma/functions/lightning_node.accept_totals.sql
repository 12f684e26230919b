-- Books what a peer's totals exceed our records by, once an operator accepts exactly this difference. The peer's account then
-- shows what the peer's records show; the other side is `suspense`. False, and nothing is booked, when the difference is not
-- the accepted one, as in a second call.
-- A restored database issues the forgotten payment ids again, and the peer knows a payment by its id: it would answer a new
-- payment for a forgotten hash with the old success. So the next ids are far beyond the forgotten ones.
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
