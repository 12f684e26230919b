-- The ledger: accounts, journal and postings, and the function that posts an entry in one round trip.
-- Amounts are integers: the smallest unit of the currency, and millisatoshis where the currency is SAT.
-- What must always hold is held by the tables themselves, so that a direct statement is caught too.

create table ledger_accounts (
  id            bigint generated always as identity primary key,
  kind          text not null,
  currency_code text not null,
  wallet_id     bigint references wallets (id) on delete restrict on update restrict,
  -- A user's account keeps its running balance; a house account's is the sum of its postings.
  balance       bigint,
  constraint ledger_accounts_kind_known check (kind in ('available', 'held', 'lightning', 'fx', 'fees', 'rounding', 'faucet')),
  constraint ledger_accounts_wallet_by_kind check ((wallet_id is not null) = (kind in ('available', 'held'))),
  constraint ledger_accounts_balance_by_wallet check ((balance is not null) = (wallet_id is not null)),
  constraint ledger_accounts_balance_not_negative check (balance >= 0)
);
create unique index ledger_accounts_id_currency_code_key on ledger_accounts (id, currency_code);
create unique index ledger_accounts_wallet_id_kind_key on ledger_accounts (wallet_id, kind);
create unique index ledger_accounts_house_key on ledger_accounts (kind, currency_code) where wallet_id is null;

create table journal_entries (
  id              bigint generated always as identity primary key,
  kind            text not null,
  idempotency_key text not null,
  -- SHA-256 of the postings in account order: the same key with other content is refused.
  content_hash    text not null,
  -- The payment that this entry is a step of; its table comes with the payments.
  payment_id      bigint,
  created_at      timestamptz not null default now(),
  constraint journal_entries_kind_known check (kind in ('opening', 'faucet', 'exchange', 'payment', 'hold', 'release', 'settle')),
  constraint journal_entries_key_length check (char_length(idempotency_key) between 1 and 200),
  constraint journal_entries_payment_by_kind check ((payment_id is not null) = (kind in ('payment', 'hold', 'release', 'settle')))
);
create unique index journal_entries_idempotency_key_key on journal_entries (idempotency_key);
-- A payment has each step once.
create unique index journal_entries_payment_id_kind_key on journal_entries (payment_id, kind);

create table postings (
  id            bigint generated always as identity primary key,
  entry_id      bigint not null references journal_entries (id) on delete restrict on update restrict,
  account_id    bigint not null,
  currency_code text not null,
  amount        bigint not null,
  -- What stood on the user's account after this posting; house accounts are summed instead.
  balance_after bigint,
  constraint postings_amount_not_zero check (amount <> 0),
  constraint postings_account_currency_fkey foreign key (account_id, currency_code)
    references ledger_accounts (id, currency_code) on delete restrict on update restrict
);
create index postings_entry_id_idx on postings (entry_id);
create index postings_account_id_id_idx on postings (account_id, id desc);

-- Running balances follow postings. The update takes the account's row lock, and the check on the balance refuses an
-- overdraft whatever else runs at the same instant. The id is drawn under that lock, whatever the statement says, so that
-- the order of the ids is the order of the balances, and a later posting of an entry has the larger one.
create function postings_move_balances() returns trigger language plpgsql as $$
declare
  moved ledger_accounts%rowtype;
begin
  update ledger_accounts set balance = balance + new.amount where id = new.account_id and balance is not null
    returning * into moved;
  new.balance_after := moved.balance;
  new.id := nextval('postings_id_seq');
  if moved.kind = 'held' and not exists (select from journal_entries e join payments p on p.id = e.payment_id
                                         where e.id = new.entry_id and p.wallet_id = moved.wallet_id) then
    raise exception 'what is held is held for a payment from that wallet' using errcode = 'LG007';
  end if;
  return new;
end $$;
create trigger postings_move_balances before insert on postings for each row execute function postings_move_balances();

-- Nobody sets a balance by hand: an update that does not come from the trigger above is refused.
create function ledger_accounts_follow_postings() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 or (new.id, new.kind, new.currency_code) is distinct from (old.id, old.kind, old.currency_code)
     or new.wallet_id is distinct from old.wallet_id then
    raise exception 'ledger accounts change through postings only' using errcode = 'LG003';
  end if;
  return new;
end $$;
create trigger ledger_accounts_follow_postings before update on ledger_accounts
  for each row execute function ledger_accounts_follow_postings();

create function ledger_accounts_start_empty() returns trigger language plpgsql as $$
begin
  if new.balance <> 0 then
    raise exception 'ledger accounts start empty' using errcode = 'LG003';
  end if;
  return new;
end $$;
create trigger ledger_accounts_start_empty before insert on ledger_accounts
  for each row execute function ledger_accounts_start_empty();

-- At the end of the transaction the postings of an entry sum to zero in each currency, and an entry has some.
create function entry_must_balance(checked_entry_id bigint) returns void language plpgsql as $$
begin
  if exists (select 1 from postings where entry_id = checked_entry_id group by currency_code having sum(amount) <> 0) then
    raise exception 'the postings of entry % do not sum to zero', checked_entry_id using errcode = 'LG001';
  end if;
  if not exists (select 1 from postings where entry_id = checked_entry_id) then
    raise exception 'entry % has no postings', checked_entry_id using errcode = 'LG001';
  end if;
end $$;
create function journal_entries_balance() returns trigger language plpgsql as $$
begin
  perform entry_must_balance(new.id);
  return null;
end $$;
create function postings_balance() returns trigger language plpgsql as $$
begin
  -- Once for the posting that came last; the others of the entry would ask the same.
  if not exists (select 1 from postings where entry_id = new.entry_id and id > new.id) then
    perform entry_must_balance(new.entry_id);
  end if;
  return null;
end $$;
create constraint trigger journal_entries_balance after insert on journal_entries
  deferrable initially deferred for each row execute function journal_entries_balance();
create constraint trigger postings_balance after insert on postings
  deferrable initially deferred for each row execute function postings_balance();

-- An entry is complete when its transaction ends: nothing is added to it later.
create function postings_join_new_entries() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from journal_entries where id = new.entry_id and xmin = pg_current_xact_id()::xid) then
    raise exception 'entry % is closed', new.entry_id using errcode = 'LG004';
  end if;
  return new;
end $$;
create trigger postings_join_new_entries before insert on postings
  for each row execute function postings_join_new_entries();

create function ledger_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'LG005';
end $$;
create trigger journal_entries_append_only before update or delete or truncate on journal_entries
  for each statement execute function ledger_is_append_only();
create trigger postings_append_only before update or delete or truncate on postings
  for each statement execute function ledger_is_append_only();
create trigger ledger_accounts_kept before delete or truncate on ledger_accounts
  for each statement execute function ledger_is_append_only();

-- Posts one entry. `replayed` is true when the key was used before with the same content; other content is LG002.
-- User accounts are locked in the order of their ids before anything is written, so that two entries never wait for
-- each other in a circle.
create function post_entry(entry_kind text, entry_key text, account_ids bigint[], amounts bigint[], for_payment bigint default null)
  returns table (entry_id bigint, replayed boolean) language plpgsql as $$
declare
  entry_hash text;
  known record;
  posted bigint;
begin
  select coalesce(encode(sha256(convert_to(string_agg(account_id || ':' || amount, ',' order by account_id, amount), 'UTF8')), 'hex'), '')
    into entry_hash
    from unnest(account_ids, amounts) as line (account_id, amount);
  insert into journal_entries (kind, idempotency_key, content_hash, payment_id)
    values (entry_kind, entry_key, entry_hash, for_payment)
    on conflict (idempotency_key) do nothing
    returning id into entry_id;
  if entry_id is null then
    select id, kind, content_hash, payment_id into known from journal_entries where idempotency_key = entry_key;
    if (known.content_hash, known.kind, known.payment_id) is distinct from (entry_hash, entry_kind, for_payment) then
      raise exception 'the key of entry % was used for other postings', known.id using errcode = 'LG002';
    end if;
    entry_id := known.id;
    replayed := true;
    return next;
    return;
  end if;
  perform 1 from ledger_accounts where id = any (account_ids) and balance is not null order by id for update;
  insert into postings (entry_id, account_id, currency_code, amount)
    select post_entry.entry_id, account.id, account.currency_code, line.amount
    from unnest(account_ids, amounts) as line (account_id, amount)
    join ledger_accounts account on account.id = line.account_id
    order by account.id;
  get diagnostics posted = row_count;
  if posted <> greatest(cardinality(account_ids), cardinality(amounts)) then
    raise exception 'entry % names an account that is not there', entry_key using errcode = 'LG006';
  end if;
  replayed := false;
  return next;
end $$;

-- Gives a wallet money out of the faucet; false, and nothing moved, when more than `most` would then be in it. Decided
-- under the locks of the wallet's accounts, so that pulls at the same instant do not pass the limit together. A pull that
-- was done is done, however full the wallet is by now.
create function pull_faucet(entry_key text, funded_wallet bigint, amount bigint, most bigint) returns boolean language plpgsql as $$
declare
  target ledger_accounts%rowtype;
begin
  perform 1 from ledger_accounts where wallet_id = funded_wallet order by id for update;
  if not exists (select 1 from journal_entries where idempotency_key = entry_key)
     and (select sum(balance) from ledger_accounts where wallet_id = funded_wallet) + amount > most then
    return false;
  end if;
  select * into target from ledger_accounts where wallet_id = funded_wallet and kind = 'available';
  perform post_entry('faucet', entry_key, array[faucet.id, target.id], array[-amount, amount])
    from ledger_accounts faucet where faucet.kind = 'faucet' and faucet.currency_code = target.currency_code;
  return true;
end $$;

-- Every wallet has its two accounts, from the moment it exists.
create function wallets_open_accounts() returns trigger language plpgsql as $$
begin
  insert into ledger_accounts (kind, currency_code, wallet_id, balance)
    values ('available', new.currency_code, new.id, 0), ('held', new.currency_code, new.id, 0);
  return null;
end $$;
create trigger wallets_open_accounts after insert on wallets for each row execute function wallets_open_accounts();
insert into ledger_accounts (kind, currency_code, wallet_id, balance)
  select kind, currency_code, id, 0 from wallets, (values ('available'), ('held')) as kinds (kind) order by id, kind;

-- A wallet's money stays its owner's, and in its currency.
create function wallets_keep_their_owner() returns trigger language plpgsql as $$
begin
  if (new.id, new.user_id, new.currency_code) is distinct from (old.id, old.user_id, old.currency_code) then
    raise exception 'a wallet keeps its owner and its currency' using errcode = 'LG003';
  end if;
  return new;
end $$;
create trigger wallets_keep_their_owner before update on wallets for each row execute function wallets_keep_their_owner();

-- House accounts: one of each kind a currency.
insert into ledger_accounts (kind, currency_code)
  select kind, currency_code
  from unnest(array['SAT', 'USD', 'EUR', 'GBP', 'MXN', 'BRL', 'PHP', 'INR', 'NGN', 'JPY', 'KWD']) as currencies (currency_code),
       unnest(array['lightning', 'fx', 'fees', 'rounding', 'faucet']) as kinds (kind);
