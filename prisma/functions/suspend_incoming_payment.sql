-- Books an incoming payment that has no open invoice to the suspense account, where an operator resolves it. False when it was
-- booked before.
create or replace function suspend_incoming_payment(paid_hash text, from_node text, msats bigint, account_ids bigint[], amounts bigint[])
  returns boolean language plpgsql as $$
declare
  new_id bigint;
begin
  insert into incoming_payments (payment_hash, node_key, amount_msats) values (paid_hash, from_node, msats)
    on conflict (payment_hash) do nothing
    returning id into new_id;
  if new_id is null then
    return false;
  end if;
  perform post_entry('receive', 'receive:' || paid_hash, account_ids, amounts, null, new_id);
  return true;
end $$;
