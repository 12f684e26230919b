-- The guards of a payment inside this VASP, asked once each. What they hold is what they held before.

-- Split in two, so that the usual posting does not prepare a query that it never needs.
create or replace function postings_move_balances() returns trigger language plpgsql as $$
declare
  moved ledger_accounts%rowtype;
begin
  update ledger_accounts set balance = balance + new.amount where id = new.account_id and balance is not null
    returning * into moved;
  new.balance_after := moved.balance;
  new.id := nextval('postings_id_seq');
  if moved.kind = 'held' then
    if not exists (select from journal_entries e join payments p on p.id = e.payment_id
                   where e.id = new.entry_id and p.wallet_id = moved.wallet_id) then
      raise exception 'what is held is held for a payment from that wallet' using errcode = 'LG007';
    end if;
  end if;
  return new;
end $$;

-- The entry asks whether it has postings, and the last of its postings whether they sum to zero.
create or replace function journal_entries_balance() returns trigger language plpgsql as $$
begin
  if not exists (select from postings where entry_id = new.id) then
    raise exception 'entry % has no postings', new.id using errcode = 'LG001';
  end if;
  return null;
end $$;
create or replace function postings_balance() returns trigger language plpgsql as $$
begin
  -- Once for the posting that came last; the others of the entry would ask the same.
  if not exists (select from postings where entry_id = new.entry_id and id > new.id) then
    if exists (select from postings where entry_id = new.entry_id group by currency_code having sum(amount) <> 0) then
      raise exception 'the postings of entry % do not sum to zero', new.entry_id using errcode = 'LG001';
    end if;
  end if;
  return null;
end $$;
drop function entry_must_balance(bigint);

-- As before. Where the payment has posted in this transaction, its entry asks the same question: it cannot have been asked
-- and answered well before the invoice was settled, since a payment whose invoice is open does not fit.
create or replace function invoices_are_settled_by_payments() returns trigger language plpgsql as $$
declare
  paid_by bigint;
begin
  select p.id into paid_by from payments p
    where p.payment_hash = new.payment_hash and p.invoice is not distinct from new.invoice and p.peer is null
      and p.state = 'succeeded' and p.amount_msats = new.received_msats;
  if paid_by is not null then
    if not exists (select from journal_entries where payment_id = paid_by and xmin = pg_current_xact_id()::xid) then
      perform payment_must_be_posted(paid_by);
    end if;
    return null;
  end if;
  select r.id into paid_by from receipts r where r.invoice_id = new.id;
  if paid_by is null then
    raise exception 'invoice % is settled without a payment', new.id using errcode = 'PY004';
  end if;
  perform receipt_must_be_posted(paid_by);
  return null;
end $$;
