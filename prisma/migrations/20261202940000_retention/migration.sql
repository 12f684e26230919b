-- What nobody needs any longer may be deleted (docs/decisions/0084-retention.md). Each guard says what must stay.
-- An unpaid invoice that nothing names may be deleted thirty days after it expired. Any client can request an invoice over LNURL
-- without a signature: one that was requested so may be deleted after a day. It can no longer be paid, and no delayed request asks
-- for it. The invoice's row lock decides between its deletion and a late payment, which then finds no invoice and is refused.
create or replace function invoices_delete_guard() returns trigger language plpgsql as $$
begin
  if old.settled_at is not null
     or old.expires_at > now() - (case when exists (select from uma_pay_requests where invoice_id = old.id and protocol = 'lnurl')
                                    then interval '1 day' else interval '30 days' end)
     or exists (select from uma_pay_requests where invoice_id = old.id and uma_invoice_id is not null)
     or exists (select from payments where payment_hash = old.payment_hash)
     or exists (select from quotes where payment_hash = old.payment_hash)
     or exists (select from incoming_payments where payment_hash = old.payment_hash)
     or exists (select from lightning_node.receipts where payment_hash = old.payment_hash and state = 'received') then
    raise exception 'only an unpaid invoice that expired 30 days ago (1 day for an unsigned request) and that no payment, quote, receipt or UMA invoice names may be deleted'
      using errcode = 'LG005';
  end if;
  return old;
end $$;
-- A quote that nobody used may be deleted thirty days after it expired. A quote of a payment, of an idempotency key that may be
-- repeated, or of a UMA invoice stays.
create or replace function quotes_delete_guard() returns trigger language plpgsql as $$
begin
  if old.expires_at > now() - interval '30 days' or old.uma_invoice_uuid is not null
     or exists (select from payments where quote_id = old.id)
     or exists (select from payments where payment_hash = old.payment_hash)
     or exists (select from address_payment_keys where payment_hash = old.payment_hash) then
    raise exception 'only a quote that expired 30 days ago and that no payment, idempotency key or UMA invoice names may be deleted'
      using errcode = 'LG005';
  end if;
  return old;
end $$;

-- A connection may be deleted ninety days after it ended, unless something names it. `between`, and the order of an index, leave the
-- planner that index only, however few connections most rows belong to.
create or replace function connections_delete_guard() returns trigger language plpgsql as $$
begin
  if coalesce(least(old.revoked_at, old.expires_at), 'infinity') > now() - interval '90 days'
     or (select id from payments where connection_id between old.id and old.id
         order by connection_id, created_at desc, id desc limit 1) is not null
     or (select id from quotes where connection_id between old.id and old.id order by connection_id, expires_at limit 1) is not null
     or (select payment_hash from address_payment_keys where connection_id between old.id and old.id
         order by connection_id, idempotency_key limit 1) is not null
     or (select id from events where connection_id between old.id and old.id order by connection_id, id desc limit 1) is not null then
    raise exception 'only a connection that ended 90 days ago and that no payment, quote, idempotency key or event names may be deleted'
      using errcode = 'CN003';
  end if;
  return old;
end $$;
drop trigger connections_delete_guard on connections;
create trigger connections_delete_guard before delete on connections for each row execute function connections_delete_guard();
create trigger connections_truncate_guard before truncate on connections for each statement execute function append_only();

-- A login may be deleted a day after it ended, with the last of its connections.
create or replace function login_grants_delete_guard() returns trigger language plpgsql as $$
begin
  if least(old.expires_at, old.closed_at) > now() - interval '1 day'
     or exists (select from connections where login_grant_id = old.id) then
    raise exception 'only a login that ended a day ago and that no connection names may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;
create trigger login_grants_delete_guard before delete on login_grants for each row execute function login_grants_delete_guard();
create trigger login_grants_truncate_guard before truncate on login_grants for each statement execute function append_only();

create or replace function sessions_delete_guard() returns trigger language plpgsql as $$
begin
  if least(old.expires_at, old.ended_at) > now() - interval '1 day' then
    raise exception 'only a session that ended a day ago may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;
create trigger sessions_delete_guard before delete on sessions for each row execute function sessions_delete_guard();
create trigger sessions_truncate_guard before truncate on sessions for each statement execute function append_only();

-- A key may be repeated while its connection is active, and an ended connection stays ended.
create or replace function address_payment_keys_delete_guard() returns trigger language plpgsql as $$
begin
  if not exists (select from connections
                 where id = old.connection_id and least(revoked_at, expires_at) <= now() - interval '90 days') then
    raise exception 'only an idempotency key whose connection ended 90 days ago may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;
create trigger address_payment_keys_delete_guard before delete on address_payment_keys for each row execute function address_payment_keys_delete_guard();
create trigger address_payment_keys_truncate_guard before truncate on address_payment_keys for each statement execute function append_only();

-- Deletes those of the given connections that ended ninety days ago and that nothing names, and each login whose last connection
-- goes. Returns the number of connections. Logins are locked first, as an exchange locks them, so that of two instances the one
-- that deletes a login's last connection sees that it is the last. What another transaction has locked is left for the next time.
-- The lookups are those of `connections_delete_guard`. `unnest` hides the length of a list, for which the planner would read all rows.
create or replace function forget_connections(ended text[]) returns integer language plpgsql as $$
declare
  logins text[] := array(select id from login_grants
                         where id = any (array(select login_grant_id from connections where id = any (array(select unnest(ended)))))
                         for update skip locked);
  gone integer;
begin
  delete from connections where id = any (array(
    select c.id from connections c
    where c.id = any (array(select unnest(ended))) and c.login_grant_id = any (logins) and least(c.revoked_at, c.expires_at) <= now() - interval '90 days'
      and (select id from payments where connection_id between c.id and c.id
           order by connection_id, created_at desc, id desc limit 1) is null
      and (select id from quotes where connection_id between c.id and c.id order by connection_id, expires_at limit 1) is null
      and (select payment_hash from address_payment_keys where connection_id between c.id and c.id
           order by connection_id, idempotency_key limit 1) is null
      and (select id from connection_faults where connection_id between c.id and c.id order by connection_id limit 1) is null
      and (select id from events where connection_id between c.id and c.id order by connection_id, id desc limit 1) is null
    for update skip locked));
  get diagnostics gone = row_count;
  delete from login_grants where id = any (array(select unnest(logins)))
    and not exists (select from connections c where c.login_grant_id = login_grants.id offset 0);
  return gone;
end $$;

-- Find what may be deleted, the first to end first. Each leaves out the rows that stay.
create index invoices_own_unpaid_idx on invoices (expires_at, id) where settled_at is null and fixed_credit is null;
create index connections_end_idx on connections ((least(revoked_at, expires_at)), id) where least(revoked_at, expires_at) is not null;
