-- Called at the end of the transaction, and also for an entry that is added to a finished payment later.
create or replace function payment_must_be_posted(checked_payment_id bigint) returns void language plpgsql as $$
declare
  books payment_books%rowtype;
begin
  select * into books from payment_books where id = checked_payment_id;
  if books.payer_fits is not true then
    raise exception 'payment % of % is %, the ledger moved % available and % held',
      books.id, books.debit, books.state, books.available, books.held using errcode = 'PY003';
  end if;
  if books.payee_fits is not true then
    raise exception 'payment % is not what its invoice received', books.id using errcode = 'PY005';
  end if;
end $$;
