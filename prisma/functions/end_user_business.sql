-- Revokes the user's connections, closes the logins behind them, and expires what is open: UMA invoices, invoices, quotes and
-- requests for payment. A quote to a user of this VASP ends with the invoice that was created for it. Rows are locked in the order of
-- the other functions (UMA invoices before invoices, by id).
create or replace function end_user_business(of_user text) returns void language plpgsql as $$
declare
  moment timestamptz;
  open_invoices bigint[];
begin
  -- An exchange holds its login's row until it commits. The next statement sees the connection that it created.
  perform 1 from login_grants where user_id = of_user and closed_at is null order by id for update;
  update login_grants set closed_at = now() where user_id = of_user and closed_at is null;
  update connections set revoked_at = now() where user_id = of_user and revoked_at is null;
  perform 1 from uma_invoices where user_id = of_user and expires_at > now() order by id for no key update;
  select array_agg(id) into open_invoices from (
    select id from invoices where user_id = of_user and settled_at is null and expires_at > now()
    union
    select i.id from (select payment_hash from quotes where user_id = of_user and expires_at > now() offset 0) q
    cross join lateral (select id, settled_at from invoices where payment_hash = q.payment_hash offset 0) i
    where i.settled_at is null) open;
  perform 1 from invoices where id = any (open_invoices) order by id for no key update;
  moment := clock_timestamp();
  update uma_invoices set expires_at = moment where user_id = of_user and expires_at > moment;
  update invoices set expires_at = moment where id = any (open_invoices) and settled_at is null and expires_at > moment;
  update quotes set expires_at = moment where user_id = of_user and expires_at > moment;
  update uma_requests set expires_at = moment where user_id = of_user and expires_at > moment;
end $$;
