-- Messages of other parties have a share of their own among a user's events, so that they never evict what the user did.
alter table events add column from_outside boolean not null default false;

-- Indexes of the statements that read all rows of a table before.
create index quotes_connection_id_expires_at_idx on quotes (connection_id, expires_at) where connection_id is not null;
create index connection_faults_expires_at_idx on connection_faults (expires_at);
create index connections_expires_at_idx on connections (expires_at) where revoked_at is null and expires_at is not null;
create index users_open_idx on users (made_on_demand, created_at, id) where status <> 'closed';
create index password_attempts_forgotten_at_idx on password_attempts (forgotten_at);
create index password_attempts_withdrawn_idx on password_attempts (forgotten_at) where wrong = 0;
create index uma_remote_keys_expires_at_idx on uma_remote_keys (expires_at);
create index uma_requests_open_idx on uma_requests (user_id, expires_at desc) where state = 'open';
create index uma_requests_domain_idx on uma_requests
  (user_id, substring(split_part(receiver_address, '@', 2) from '(?<![^.])(?:[^.]+[.])?(?:(?:ac|co|com|edu|go|gov|ne|net|or|org)[.][a-z]{2}|[^.]+)$'), created_at);
create index uma_requests_open_domain_idx on uma_requests
  (user_id, substring(split_part(receiver_address, '@', 2) from '(?<![^.])(?:[^.]+[.])?(?:(?:ac|co|com|edu|go|gov|ne|net|or|org)[.][a-z]{2}|[^.]+)$'), expires_at)
  where state = 'open';
create index login_grants_unused_idx on login_grants (expires_at) where exchanges = 0;

-- A session is deleted a day after it ends. The login that it approved keeps the id.
alter table login_grants drop constraint login_grants_session_id_fkey;
drop index login_grants_session_id_idx;
create index sessions_ended_idx on sessions ((least(expires_at, ended_at)));
drop index sessions_user_id_idx;
create index sessions_user_id_created_at_idx on sessions (user_id, created_at desc);

-- Brings each wallet of a user back to its opening balance with one entry against the faucet account, and ends what is open
-- (end_user_business). `outcome`: reset | pending (a payment is in progress: nothing is changed) | unknown.
-- The user's row queues this behind hold_payment and other resets, so no payment starts between the check and the entries. A
-- payment inside this VASP is either before the entry, which counts it, or after it.
create or replace function reset_user(of_user text, entry_key text) returns text language plpgsql as $$
begin
  perform 1 from users where id = of_user and status <> 'closed' for no key update;
  if not found then
    return 'unknown';
  end if;
  if exists (select from payments where user_id = of_user and state in ('held', 'sending')) then
    return 'pending';
  end if;
  perform end_user_business(of_user);
  -- All accounts before the first entry, in the order in which post_entry locks them.
  perform 1 from ledger_accounts where wallet_id = any (array(select id from wallets where user_id = of_user)) order by id for update;
  perform post_entry('reset', 'reset:' || of_user || ':' || entry_key || ':' || due.currency_code, array[due.faucet_id, due.account_id],
                     array[-due.amount, due.amount])
    from (select w.currency_code, a.id as account_id, faucet.id as faucet_id,
                 coalesce((select p.amount from journal_entries e
                           cross join lateral (select amount, account_id from postings where entry_id = e.id offset 0) p
                           where e.idempotency_key = 'opening:' || of_user || ':' || w.currency_code and e.kind = 'opening'
                             and p.account_id = a.id), 0)
                 - a.balance as amount
          from wallets w
          cross join lateral (select id, balance from ledger_accounts where wallet_id = w.id and kind = 'available' offset 0) a
          cross join lateral (select id from ledger_accounts
                              where kind = 'faucet' and currency_code = w.currency_code and wallet_id is null and node_key is null offset 0) faucet
          where w.user_id = of_user
          order by a.id) due
    where due.amount <> 0;
  return 'reset';
end $$;

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
