-- A person accepts what a peer has told up to the last one that they have seen: what it tells while they look is not booked.
drop function lightning_node.accept_unbooked(text, text, text);

-- Books what a peer has told, once a person believes it, up to one of them. The peer's account says then what the peer's books say;
-- the other side is `suspense`, until a person has decided whose it is. Gives what was booked now.
create function lightning_node.accept_unbooked(from_peer text, up_to bigint, who text, why text)
  returns table (id bigint, direction text, amount_msats bigint) language plpgsql as $$
declare
  told lightning_node.unbooked%rowtype;
begin
  for told in select * from lightning_node.unbooked u
    where u.peer = from_peer and u.id <= up_to and u.accepted_at is null order by u.id for update
  loop
    update lightning_node.unbooked u set accepted_at = now(), accepted_by = who, because = why where u.id = told.id;
    perform post_entry('unbooked', 'unbooked:' || told.id, array[p.id, s.id],
        case told.direction when 'sent' then array[told.amount_msats, -told.amount_msats] else array[-told.amount_msats, told.amount_msats] end)
      from ledger_accounts p, ledger_accounts s
      where p.peer = told.peer and s.kind = 'suspense' and s.currency_code = 'SAT';
    if not found then
      raise exception 'there is no account for the peer of %', told.id using errcode = 'LG006';
    end if;
    id := told.id;
    direction := told.direction;
    amount_msats := told.amount_msats;
    return next;
  end loop;
end $$;
