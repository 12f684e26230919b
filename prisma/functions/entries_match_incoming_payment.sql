create or replace function entries_match_incoming_payment() returns trigger language plpgsql as $$
begin
  perform incoming_payment_must_be_posted(new.incoming_payment_id);
  return null;
end $$;
