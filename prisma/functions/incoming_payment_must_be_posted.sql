create or replace function incoming_payment_must_be_posted(checked_id bigint) returns void language plpgsql as $$
begin
  if (select fits from incoming_payment_books where id = checked_id) is not true then
    raise exception 'incoming payment % is not what the ledger moved for it', checked_id using errcode = 'PY007';
  end if;
end $$;
