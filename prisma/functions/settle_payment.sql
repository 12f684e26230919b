-- Ends a payment that the node has made. The given lines say where its debit goes; the lines that empty the hold and return its
-- unused part are added here. `settled` the first time, `already` afterwards, `failed` when the payment was given up before:
-- then no money moves here.
create or replace function settle_payment(
  settled_id bigint, proof text, fee bigint, final_debit bigint, account_ids bigint[], amounts bigint[]
) returns text language plpgsql as $$
declare
  payment payments%rowtype;
  back bigint;
begin
  select * into payment from payments where id = settled_id for update;
  if payment.state = 'failed' then
    return 'failed';
  elsif payment.state = 'succeeded' then
    return 'already';
  end if;
  back := payment.debit - final_debit;
  update payments set state = 'succeeded', preimage = proof, network_fee_msats = fee, debit = final_debit, settled_at = now(),
                      lease_owner = null, lease_expires_at = null
    where id = settled_id;
  perform post_entry('settle', 'settle:' || settled_id,
      account_ids || h.id || case when back > 0 then array[a.id] else array[]::bigint[] end,
      amounts || -payment.debit || case when back > 0 then array[back] else array[]::bigint[] end, settled_id)
    from ledger_accounts a, ledger_accounts h
    where a.wallet_id = payment.wallet_id and a.kind = 'available' and h.wallet_id = payment.wallet_id and h.kind = 'held';
  if payment.notify_on_completion then
    perform pg_notify('payment_ended', settled_id::text);
  end if;
  return 'settled';
end $$;
