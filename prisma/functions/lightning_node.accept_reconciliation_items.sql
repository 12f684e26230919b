-- Books what a peer has reported, up to one item, once a person accepts it. The peer's account then shows what the peer's records
-- show; the other side is `suspense`, until a person resolves it. Returns what was booked now.
create or replace function lightning_node.accept_reconciliation_items(from_peer text, up_to bigint, operator text, given_reason text)
  returns table (id bigint, direction text, amount_msats bigint) language plpgsql as $$
declare
  item lightning_node.reconciliation_items%rowtype;
begin
  for item in select * from lightning_node.reconciliation_items i
    where i.peer = from_peer and i.id <= up_to and i.accepted_at is null order by i.id for update
  loop
    update lightning_node.reconciliation_items i set accepted_at = now(), accepted_by = operator, reason = given_reason where i.id = item.id;
    perform post_entry('reconciliation', 'reconciliation:' || item.id, array[p.id, s.id],
        case item.direction when 'sent' then array[item.amount_msats, -item.amount_msats] else array[-item.amount_msats, item.amount_msats] end)
      from ledger_accounts p, ledger_accounts s
      where p.node_key = item.peer and s.kind = 'suspense' and s.currency_code = 'SAT';
    if not found then
      raise exception 'there is no account for the peer of %', item.id using errcode = 'LG006';
    end if;
    id := item.id;
    direction := item.direction;
    amount_msats := item.amount_msats;
    return next;
  end loop;
end $$;
