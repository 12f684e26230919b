create or replace function incoming_payments_match_ledger() returns trigger language plpgsql as $$
begin
  perform incoming_payment_must_be_posted(new.id);
  return null;
end $$;
