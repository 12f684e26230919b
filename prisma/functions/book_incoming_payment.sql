-- Books what the node has received, each hash once. If the invoice is still open, the given lines credit its wallet: `credited`.
-- Otherwise no money moves, and the outcome says why: known | settled | unknown | amount (less than the invoice asks for). The
-- invoice's row lock decides between this payment and one inside this VASP.
create or replace function book_incoming_payment(
  paid_hash text, from_node text, msats bigint, credited_amount bigint, account_ids bigint[], amounts bigint[]
) returns text language plpgsql as $$
declare
  bill invoices%rowtype;
  new_id bigint;
begin
  select * into bill from invoices where invoices.payment_hash = paid_hash for update;
  if exists (select from incoming_payments where incoming_payments.payment_hash = paid_hash) then
    return 'known';
  elsif bill.id is null then
    return 'unknown';
  elsif bill.settled_at is not null then
    return 'settled';
  elsif msats < bill.amount_msats then
    return 'amount';
  end if;
  insert into incoming_payments (payment_hash, node_key, amount_msats, invoice_id) values (paid_hash, from_node, msats, bill.id)
    returning id into new_id;
  perform post_entry('receive', 'receive:' || paid_hash, account_ids, amounts, null, new_id);
  update invoices set settled_at = now(), received_msats = msats, credited = credited_amount where id = bill.id;
  return 'credited';
end $$;
