-- Users who are created on demand, with a lifetime and secrets of their own, and users who are closed for ever. A closed user
-- keeps the row, so the name is never issued again.
alter table users drop constraint users_status_known;
alter table users
  add column made_on_demand boolean not null default false,
  add column last_used_at timestamptz,
  -- When an unused user on demand is closed.
  add column expires_at timestamptz,
  add column closed_at timestamptz,
  -- SHA-256 of the secret that resets and deletes this user over HTTP.
  add column manage_token_hash text,
  -- SHA-256 of the code in a sign-in link, which is valid once.
  add column sign_in_code_hash text,
  add column sign_in_code_expires_at timestamptz,
  add constraint users_status_known check (status in ('active', 'suspended', 'closed')),
  add constraint users_closed_whole check ((status = 'closed') = (closed_at is not null)),
  add constraint users_on_demand_whole check (made_on_demand = (expires_at is not null) and made_on_demand = (last_used_at is not null)),
  add constraint users_manage_token_hash_form check (manage_token_hash ~ '^[0-9a-f]{64}$'),
  add constraint users_sign_in_code_hash_form check (sign_in_code_hash ~ '^[0-9a-f]{64}$');
-- Partial, so that changing a hash takes no lock that conflicts with references to the user.
create unique index users_manage_token_hash_key on users (manage_token_hash) where manage_token_hash is not null;
create unique index users_sign_in_code_hash_key on users (sign_in_code_hash) where sign_in_code_hash is not null;
create index users_on_demand_idx on users (expires_at) where made_on_demand and status <> 'closed';

alter table journal_entries drop constraint journal_entries_kind_known;
alter table journal_entries add constraint journal_entries_kind_known check (kind in
  ('opening', 'faucet', 'reset', 'exchange', 'payment', 'hold', 'release', 'settle', 'receive', 'loss', 'reconciliation'));

create function users_closed_final() returns trigger language plpgsql as $$
begin
  raise exception 'a closed user stays closed' using errcode = 'US001';
end $$;

-- A quote can end earlier than promised, never later. Nothing else of it changes.
create function quotes_terms_immutable() returns trigger language plpgsql as $$
declare
  expected quotes%rowtype := old;
begin
  expected.expires_at := least(old.expires_at, new.expires_at);
  if new is distinct from expected then
    raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
  end if;
  return new;
end $$;

-- Creates a user with wallets and opening balances. A user on demand counts against `max_living`: creations queue at one lock,
-- so the count is true. `outcome`: created | taken (a user has or had this name) | full.
create function create_user(
  new_name text, shown_name text, password text, currency_codes text[], faucet_ids bigint[], openings bigint[],
  on_demand boolean, token_hash text, code_hash text, code_lifetime interval, lifetime interval, max_living integer
) returns text language plpgsql as $$
begin
  if on_demand then
    perform pg_advisory_xact_lock(hashtextextended('create_user', 0));
    if (select count(*) from users where made_on_demand and status <> 'closed') >= max_living then
      return 'full';
    end if;
  end if;
  insert into users (id, display_name, password_hash, made_on_demand, last_used_at, expires_at, manage_token_hash,
                     sign_in_code_hash, sign_in_code_expires_at)
    values (new_name, shown_name, password, on_demand, case when on_demand then now() end, now() + lifetime, token_hash,
            code_hash, now() + code_lifetime)
    on conflict (id) do nothing;
  if not found then
    return 'taken';
  end if;
  insert into wallets (user_id, currency_code, position)
    select new_name, code, place - 1 from unnest(currency_codes) with ordinality as listed (code, place);
  perform post_entry('opening', 'opening:' || new_name || ':' || w.currency_code, array[opened.faucet_id, a.id],
                     array[-opened.amount, opened.amount])
    from unnest(currency_codes, faucet_ids, openings) as opened (code, faucet_id, amount)
    join wallets w on w.user_id = new_name and w.currency_code = opened.code
    join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
    where opened.amount > 0;
  return 'created';
end $$;

-- Revokes the user's connections, closes the logins behind them, and expires what is open: UMA invoices, invoices, quotes and
-- requests for payment. Rows are locked in the order of the other functions (UMA invoices before invoices, by id).
create function end_user_business(of_user text) returns void language plpgsql as $$
declare
  moment timestamptz;
begin
  -- An exchange holds its login's row until it commits. The next statement sees the connection that it created.
  perform 1 from login_grants where user_id = of_user and closed_at is null order by id for update;
  update login_grants set closed_at = now() where user_id = of_user and closed_at is null;
  update connections set revoked_at = now() where user_id = of_user and revoked_at is null;
  perform 1 from uma_invoices where user_id = of_user and expires_at > now() order by id for no key update;
  perform 1 from invoices where user_id = of_user and settled_at is null and expires_at > now() order by id for no key update;
  moment := clock_timestamp();
  update uma_invoices set expires_at = moment where user_id = of_user and expires_at > moment;
  update invoices set expires_at = moment where user_id = of_user and settled_at is null and expires_at > moment;
  update quotes set expires_at = moment where user_id = of_user and expires_at > moment;
  update uma_requests set expires_at = moment where user_id = of_user and expires_at > moment;
end $$;

-- Brings each wallet of a user back to its opening balance with one entry against the faucet account, and ends what is open
-- (end_user_business). `outcome`: reset | pending (a payment is in progress: nothing is changed) | unknown.
-- The user's row queues this behind hold_payment and other resets, so no payment starts between the check and the entries. A
-- payment inside this VASP is either before the entry, which counts it, or after it.
create function reset_user(of_user text, entry_key text) returns text language plpgsql as $$
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
  perform 1 from ledger_accounts a join wallets w on w.id = a.wallet_id where w.user_id = of_user order by a.id for update of a;
  perform post_entry('reset', 'reset:' || of_user || ':' || entry_key || ':' || due.currency_code, array[due.faucet_id, due.account_id],
                     array[-due.amount, due.amount])
    from (select w.currency_code, a.id as account_id, faucet.id as faucet_id,
                 coalesce((select p.amount from journal_entries e join postings p on p.entry_id = e.id and p.account_id = a.id
                           where e.idempotency_key = 'opening:' || of_user || ':' || w.currency_code and e.kind = 'opening'), 0)
                 - a.balance as amount
          from wallets w
          join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
          join ledger_accounts faucet on faucet.kind = 'faucet' and faucet.currency_code = w.currency_code
          where w.user_id = of_user
          order by a.id) due
    where due.amount <> 0;
  return 'reset';
end $$;

-- Closes a user for ever: sessions end, connections are revoked, open invoices and quotes expire, and no secret signs in. Wallets
-- and entries stay, and a payment in progress ends as usual. `only_unused`: only a user on demand who was not used for long.
-- False when nothing was closed.
create function close_user(of_user text, only_unused boolean) returns boolean language plpgsql as $$
begin
  perform 1 from users where id = of_user and status <> 'closed'
    and (not only_unused or made_on_demand and expires_at <= now()) for no key update;
  if not found then
    return false;
  end if;
  update users
    set status = 'closed', closed_at = now(), password_hash = 'closed', manage_token_hash = null, sign_in_code_hash = null
    where id = of_user;
  update sessions set ended_at = now() where user_id = of_user and ended_at is null;
  perform end_user_business(of_user);
  return true;
end $$;

create trigger users_closed_final before update on users
  for each row when (old.status = 'closed' and new.status <> 'closed') execute function users_closed_final();
drop trigger quotes_immutable on quotes;
create trigger quotes_immutable before update on quotes for each row execute function quotes_terms_immutable();
