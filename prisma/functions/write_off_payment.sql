-- Gives up the payment of a hash to a node that is no longer a peer. `failed`: its hold was returned | unknown: no payment
-- through a node has this hash | ended: it has ended before | peer: its node is a peer and can still be asked | leased: a worker
-- acts on it.
create or replace function write_off_payment(paid_hash text, present_peers text[], operator text, given_reason text)
  returns table (outcome text, payment_id bigint) language plpgsql as $$
declare
  payment payments%rowtype;
begin
  -- The open one; of those that have ended, any.
  select * into payment from payments
    where payments.payment_hash = paid_hash and node_key is not null
    order by state in ('held', 'sending') desc, id desc limit 1 for update;
  payment_id := payment.id;
  outcome := case
    when payment.id is null then 'unknown'
    when payment.state in ('succeeded', 'failed') then 'ended'
    when payment.node_key = any (present_peers) then 'peer'
    -- `nobody`: no worker acts on it between two questions to the node.
    when payment.lease_owner <> 'nobody' and payment.lease_expires_at > clock_timestamp() then 'leased'
    else 'failed'
  end;
  if outcome = 'failed' then
    insert into payment_write_offs (payment_id, written_off_by, reason) values (payment.id, operator, given_reason);
    perform fail_payment(payment.id, 'gone');
  end if;
  return next;
end $$;
