-- What the receiver asked the payer's wallet to show after the payment (LUD-09), as it was offered with the invoice.
-- Null when there is nothing to show.
alter table quotes add column success_action jsonb;
alter table quotes add constraint quotes_success_action_form
  check (jsonb_typeof(success_action) = 'object' and octet_length(success_action::text) <= 16384);
