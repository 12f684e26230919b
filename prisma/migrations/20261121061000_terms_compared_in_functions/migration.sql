-- What an update may not change, compared inside functions: a condition of a trigger is read anew from its text for each
-- statement, which took longer than the rest of the guard, while a function keeps it ready. What they hold is what they held.

create function invoices_keep_their_terms() returns trigger language plpgsql as $$
begin
  if (new.id, new.payment_hash, new.preimage, new.invoice, new.user_id, new.wallet_id, new.amount_msats, new.description,
      new.description_hash, new.agreed_credit, new.rate_snapshot_id)
     is distinct from
     (old.id, old.payment_hash, old.preimage, old.invoice, old.user_id, old.wallet_id, old.amount_msats, old.description,
      old.description_hash, old.agreed_credit, old.rate_snapshot_id) then
    raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
  end if;
  return new;
end $$;
drop trigger invoices_agreement_stays on invoices;
drop trigger invoices_terms_stay on invoices;
create trigger invoices_terms_stay before update on invoices for each row execute function invoices_keep_their_terms();

create function payments_keep_their_terms() returns trigger language plpgsql as $$
begin
  if (new.id, new.payment_hash, new.invoice, new.user_id, new.connection_id, new.wallet_id, new.amount_msats,
      new.rate_snapshot_id, new.description, new.description_hash, new.created_at, new.expires_at, new.peer,
      new.fee_limit_msats, new.keysend_preimage, new.metadata, new.idempotency_key)
     is distinct from
     (old.id, old.payment_hash, old.invoice, old.user_id, old.connection_id, old.wallet_id, old.amount_msats,
      old.rate_snapshot_id, old.description, old.description_hash, old.created_at, old.expires_at, old.peer,
      old.fee_limit_msats, old.keysend_preimage, old.metadata, old.idempotency_key)
     -- Only in the step to success may the debit be less than was held: what the route did not cost goes back.
     or new.debit > old.debit or (new.debit < old.debit and new.state <> 'succeeded') then
    raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
  end if;
  return new;
end $$;
drop trigger payments_terms_stay on payments;
create trigger payments_terms_stay before update on payments for each row execute function payments_keep_their_terms();

-- As before; what the wallet of the invoice got is read from the lines by that wallet's account.
create or replace function settle_internal_payment(
  paid_hash text, paid_invoice text, payer text, through_connection text, from_wallet bigint, msats bigint,
  debited bigint, snapshot text, account_ids bigint[], amounts bigint[]
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
  elsif bill.expires_at <= clock_timestamp() then
    outcome := 'expired';
  elsif bill.amount_msats is distinct from msats and bill.amount_msats is not null then
    outcome := 'amount';
  else
    insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, amount_msats, debit, rate_snapshot_id,
                          description, description_hash, state, preimage, expires_at, settled_at)
      values (paid_hash, paid_invoice, payer, through_connection, from_wallet, msats, debited, snapshot,
              bill.description, bill.description_hash, 'succeeded', bill.preimage, bill.expires_at, now())
      returning id into new_id;
    -- A payment from a wallet to itself moves nothing.
    if cardinality(account_ids) > 0 then
      perform post_entry('payment', 'payment:' || new_id, account_ids, amounts, new_id);
      select id into credited_account from ledger_accounts
        where wallet_id = bill.wallet_id and kind = 'available';
    end if;
    update invoices
      set settled_at = now(), received_msats = msats, credited = amounts[array_position(account_ids, credited_account)]
      where id = bill.id;
    outcome := 'paid';
    preimage := bill.preimage;
  end if;
  return next;
end $$;
