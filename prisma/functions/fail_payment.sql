-- Gives up a payment that the node will never make, and returns the hold. `failed` the first time, `already` afterwards,
-- `succeeded` when it was settled before.
create or replace function fail_payment(failed_id bigint, reason text) returns text language plpgsql as $$
declare
  payment payments%rowtype;
begin
  select * into payment from payments where id = failed_id for update;
  if payment.state = 'failed' then
    return 'already';
  elsif payment.state = 'succeeded' then
    return 'succeeded';
  end if;
  update payments set state = 'failed', failure = reason, lease_owner = null, lease_expires_at = null where id = failed_id;
  perform post_entry('release', 'release:' || failed_id, array[a.id, h.id], array[payment.debit, -payment.debit], failed_id)
    from ledger_accounts a, ledger_accounts h
    where a.wallet_id = payment.wallet_id and a.kind = 'available' and h.wallet_id = payment.wallet_id and h.kind = 'held';
  if payment.notify_on_completion then
    perform pg_notify('payment_ended', failed_id::text);
  end if;
  return 'failed';
end $$;
