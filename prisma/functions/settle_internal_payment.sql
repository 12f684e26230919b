-- Pays an invoice of this VASP from a wallet of this VASP: one transaction, no node. The invoice's row lock queues copies of
-- one payment; the first moves the money, the others find it done.
-- `at` is the time of a payment of the past, which only an example month of the sandbox has; null for a payment of this moment.
-- `outcome`: paid | repeated (this user has paid it before) | taken (another user has) | unknown | expired | amount.
create or replace function settle_internal_payment(
  paid_hash text, paid_invoice text, payer text, through_connection text, from_wallet bigint, paid_quote bigint, msats bigint,
  debited bigint, snapshot text, account_ids bigint[], amounts bigint[], at timestamptz default null
) returns table (outcome text, preimage text) language plpgsql as $$
declare
  bill invoices%rowtype;
  earlier payments%rowtype;
  new_id bigint;
  credited_account bigint;
begin
  select * into bill from invoices where invoices.payment_hash = paid_hash for update;
  if not found or bill.invoice <> paid_invoice then
    outcome := 'unknown';
  elsif bill.settled_at is not null then
    select * into earlier from payments where payments.payment_hash = paid_hash and payments.state = 'succeeded';
    if earlier.user_id = payer then
      outcome := case when earlier.amount_msats = msats then 'repeated' else 'amount' end;
      preimage := case when earlier.amount_msats = msats then earlier.preimage end;
    else
      outcome := 'taken';
    end if;
  elsif bill.expires_at <= coalesce(at, clock_timestamp()) then
    outcome := 'expired';
  elsif bill.amount_msats is distinct from msats and bill.amount_msats is not null then
    outcome := 'amount';
  else
    insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, quote_id, amount_msats, debit, rate_snapshot_id,
                          description, description_hash, state, preimage, expires_at, settled_at, created_at)
      values (paid_hash, paid_invoice, payer, through_connection, from_wallet, paid_quote, msats, debited, snapshot,
              bill.description, bill.description_hash, 'succeeded', bill.preimage, bill.expires_at, coalesce(at, now()), coalesce(at, now()))
      returning id into new_id;
    -- A payment from a wallet to itself moves nothing.
    if cardinality(account_ids) > 0 then
      perform post_entry('payment', 'payment:' || new_id, account_ids, amounts, new_id, null, coalesce(at, now()));
      select id into credited_account from ledger_accounts
        where wallet_id = bill.wallet_id and kind = 'available';
    end if;
    update invoices
      set settled_at = coalesce(at, now()), received_msats = msats, credited = amounts[array_position(account_ids, credited_account)]
      where id = bill.id;
    outcome := 'paid';
    preimage := bill.preimage;
  end if;
  return next;
end $$;
