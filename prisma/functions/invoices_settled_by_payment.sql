-- An invoice is settled by a payment inside this VASP or by an incoming payment, for exactly the amount that this payment sent.
create or replace function invoices_settled_by_payment() returns trigger language plpgsql as $$
declare
  paid_by bigint;
begin
  select p.id into paid_by from payments p
    where p.payment_hash = new.payment_hash and p.invoice is not distinct from new.invoice and p.node_key is null
      and p.state = 'succeeded' and p.amount_msats = new.received_msats;
  if paid_by is not null then
    -- When the payment has posted in this transaction, its entry runs the same check.
    if not exists (select from journal_entries where payment_id = paid_by and xmin = pg_current_xact_id()::xid) then
      perform payment_must_be_posted(paid_by);
    end if;
    return null;
  end if;
  select r.id into paid_by from incoming_payments r where r.invoice_id = new.id;
  if paid_by is null then
    raise exception 'invoice % is settled without a payment', new.id using errcode = 'PY004';
  end if;
  perform incoming_payment_must_be_posted(paid_by);
  return null;
end $$;
