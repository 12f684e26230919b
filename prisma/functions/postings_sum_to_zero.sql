-- At the end of the transaction the postings of an entry sum to zero in each currency. The last posting of the entry checks.
create or replace function postings_sum_to_zero() returns trigger language plpgsql as $$
begin
  if not exists (select from postings where entry_id = new.entry_id and id > new.id) then
    if exists (select from postings where entry_id = new.entry_id group by currency_code having sum(amount) <> 0) then
      raise exception 'the postings of entry % do not sum to zero', new.entry_id using errcode = 'LG001';
    end if;
  end if;
  return null;
end $$;
