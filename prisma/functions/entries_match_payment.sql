create or replace function entries_match_payment() returns trigger language plpgsql as $$
begin
  perform payment_must_be_posted(new.payment_id);
  return null;
end $$;
