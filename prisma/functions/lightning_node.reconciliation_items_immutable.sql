create or replace function lightning_node.reconciliation_items_immutable() returns trigger language plpgsql as $$
begin
  if old.accepted_at is not null
     or (new.id, new.peer, new.direction, new.payment_hash, new.attempt, new.amount_msats, new.found_at)
        is distinct from (old.id, old.peer, old.direction, old.payment_hash, old.attempt, old.amount_msats, old.found_at) then
    raise exception 'a reconciliation item never changes' using errcode = 'LG005';
  end if;
  return new;
end $$;
