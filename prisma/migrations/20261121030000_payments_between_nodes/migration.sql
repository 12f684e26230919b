-- Payments that leave this VASP and money that reaches it through its Lightning node, and the sandbox node's own books.

-- One account a peer: what we owe it and what it owes us, as a running balance. Minus is what the peer owes us, and how
-- far it may go is checked where money comes in.
alter table ledger_accounts add column peer text;
alter table ledger_accounts
  drop constraint ledger_accounts_kind_known,
  add constraint ledger_accounts_kind_known
    check (kind in ('available', 'held', 'lightning', 'fx', 'fees', 'rounding', 'faucet', 'suspense', 'peer')),
  drop constraint ledger_accounts_balance_by_wallet,
  add constraint ledger_accounts_balance_by_kind check ((balance is not null) = (kind in ('available', 'held', 'peer'))),
  drop constraint ledger_accounts_balance_not_negative,
  add constraint ledger_accounts_balance_not_negative check (balance >= 0 or kind = 'peer'),
  add constraint ledger_accounts_peer_by_kind check ((peer is not null) = (kind = 'peer')),
  add constraint ledger_accounts_peer_form check (kind <> 'peer' or peer ~ '^0[23][0-9a-f]{64}$' and currency_code = 'SAT');
drop index ledger_accounts_house_key;
create unique index ledger_accounts_house_key on ledger_accounts (kind, currency_code) where wallet_id is null and peer is null;
create unique index ledger_accounts_peer_key on ledger_accounts (peer) where peer is not null;
insert into ledger_accounts (kind, currency_code) values ('suspense', 'SAT');

create or replace function ledger_accounts_follow_postings() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2
     or (new.id, new.kind, new.currency_code, new.wallet_id, new.peer)
        is distinct from (old.id, old.kind, old.currency_code, old.wallet_id, old.peer) then
    raise exception 'ledger accounts change through postings only' using errcode = 'LG003';
  end if;
  return new;
end $$;

-- A payment that leaves, and keysend, which has no invoice.
alter table payments
  -- Public key of the node that it leaves to; null for what is settled here.
  add column peer             text,
  -- What of the hold may go to the route.
  add column fee_limit_msats  bigint not null default 0,
  -- The preimage of a keysend is ours from the start, and stored before anything is sent.
  add column keysend_preimage text,
  -- Destination and records of a keysend, as they are shown.
  add column metadata         jsonb,
  add column idempotency_key  text,
  -- The worker that acts on the payment, and until when nobody else does.
  add column claimed_by       text,
  add column claimed_until    timestamptz,
  -- Somebody waits in another process: tell when it ends.
  add column awaited          boolean not null default false,
  -- When the node first said that it knows nothing of it.
  add column not_found_at     timestamptz,
  -- Why it failed: a word of lib/lightning/node.ts.
  add column failure          text,
  add constraint payments_fee_limit_not_negative check (fee_limit_msats >= 0),
  add constraint payments_keysend_preimage_fits check (encode(sha256(decode(keysend_preimage, 'hex')), 'hex') = payment_hash),
  add constraint payments_keysend_or_invoice check (keysend_preimage is null or invoice is null),
  add constraint payments_idempotency_key_length check (char_length(idempotency_key) between 1 and 200),
  add constraint payments_claim_whole check ((claimed_by is null) = (claimed_until is null)),
  add constraint payments_ended_unclaimed check (claimed_by is null or state in ('held', 'sending')),
  add constraint payments_failure_when_failed check (failure is null or state = 'failed');
create unique index payments_idempotency_key_live_key on payments (user_id, idempotency_key)
  where idempotency_key is not null and state <> 'failed';
create index payments_open_claim_idx on payments (claimed_until) where state in ('held', 'sending');
create index payments_open_user_id_idx on payments (user_id) where state in ('held', 'sending');
-- For the audit, which compares each with the node's own books.
create index payments_peer_idx on payments (peer, id) where peer is not null;

drop trigger payments_terms_stay on payments;
create trigger payments_terms_stay before update on payments for each row when (
  (new.id, new.payment_hash, new.invoice, new.user_id, new.connection_id, new.wallet_id, new.amount_msats, new.rate_snapshot_id,
   new.description, new.description_hash, new.created_at, new.expires_at, new.peer, new.fee_limit_msats, new.keysend_preimage,
   new.metadata, new.idempotency_key)
  is distinct from
  (old.id, old.payment_hash, old.invoice, old.user_id, old.connection_id, old.wallet_id, old.amount_msats, old.rate_snapshot_id,
   old.description, old.description_hash, old.created_at, old.expires_at, old.peer, old.fee_limit_msats, old.keysend_preimage,
   old.metadata, old.idempotency_key)
  or new.debit > old.debit or new.debit < old.debit and new.state <> 'succeeded'
) execute function terms_stay();

-- A keysend that was received stands among the invoices, without a text and without an end.
alter table invoices
  alter column invoice drop not null,
  alter column expires_at drop not null,
  add column metadata jsonb,
  add constraint invoices_invoice_or_keysend check ((invoice is null) = (expires_at is null)),
  add constraint invoices_keysend_is_settled check (invoice is not null or settled_at is not null);

-- What the node says it has received, each hash once. Without an invoice it waits for a person to look at it.
create table receipts (
  id           bigint generated always as identity primary key,
  payment_hash text not null,
  -- The node it came from; null where the node does not tell.
  peer         text,
  amount_msats bigint not null,
  invoice_id   bigint references invoices (id) on delete restrict on update restrict,
  created_at   timestamptz not null default now(),
  constraint receipts_payment_hash_form check (payment_hash ~ '^[0-9a-f]{64}$'),
  constraint receipts_amount_positive check (amount_msats > 0)
);
create unique index receipts_payment_hash_key on receipts (payment_hash);
create unique index receipts_invoice_id_key on receipts (invoice_id);
create trigger receipts_append_only before update or delete or truncate on receipts
  for each statement execute function ledger_is_append_only();

alter table journal_entries
  add column receipt_id bigint references receipts (id) on delete restrict on update restrict,
  drop constraint journal_entries_kind_known,
  add constraint journal_entries_kind_known
    check (kind in ('opening', 'faucet', 'exchange', 'payment', 'hold', 'release', 'settle', 'receive', 'loss')),
  drop constraint journal_entries_payment_by_kind,
  add constraint journal_entries_payment_by_kind
    check ((payment_id is not null) = (kind in ('payment', 'hold', 'release', 'settle', 'loss'))),
  add constraint journal_entries_receipt_by_kind check ((receipt_id is not null) = (kind = 'receive'));
create unique index journal_entries_receipt_id_key on journal_entries (receipt_id);

-- The same as before, with the receipt that an entry books.
drop function post_entry(text, text, bigint[], bigint[], bigint);
create function post_entry(entry_kind text, entry_key text, account_ids bigint[], amounts bigint[],
                           for_payment bigint default null, for_receipt bigint default null)
  returns table (entry_id bigint, replayed boolean) language plpgsql as $$
declare
  entry_hash text;
  known record;
  posted bigint;
begin
  select coalesce(encode(sha256(convert_to(string_agg(account_id || ':' || amount, ',' order by account_id, amount), 'UTF8')), 'hex'), '')
    into entry_hash
    from unnest(account_ids, amounts) as line (account_id, amount);
  insert into journal_entries (kind, idempotency_key, content_hash, payment_id, receipt_id)
    values (entry_kind, entry_key, entry_hash, for_payment, for_receipt)
    on conflict (idempotency_key) do nothing
    returning id into entry_id;
  if entry_id is null then
    select id, kind, content_hash, payment_id, receipt_id into known from journal_entries where idempotency_key = entry_key;
    if (known.content_hash, known.kind, known.payment_id, known.receipt_id)
       is distinct from (entry_hash, entry_kind, for_payment, for_receipt) then
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

-- As before; a payment that leaves gives its amount to its peer's account when it succeeds, and an invoice that a receipt
-- settled is no payee of a payment.
create or replace view payment_books as
  select p.id, p.payment_hash, p.state, p.debit, moved.available, moved.held, moved.credit,
         moved.available = case when p.state = 'failed' or p.state = 'succeeded' and p.wallet_id = i.wallet_id then 0 else -p.debit end
           and moved.held = case when p.state in ('held', 'sending') then p.debit else 0 end as payer_fits,
         moved.strangers = 0 and case
           when p.peer is not null then
             -- A success that was told after the refund is the house's loss; the peer has the money all the same.
             moved.to_peer = case when p.state = 'succeeded' or moved.losses > 0 then p.amount_msats else 0 end
           when i.id is null or p.state <> 'succeeded' then moved.credits = 0
           when i.settled_at is null or i.received_msats <> p.amount_msats then false
           when i.wallet_id = p.wallet_id then i.credited is null
           else moved.credits = 1 and moved.credit = coalesce(i.credited, 0)
         end as payee_fits
  from payments p
  left join lateral (
    select id, wallet_id, settled_at, received_msats, credited,
           (select a.id from ledger_accounts a where a.wallet_id = invoices.wallet_id and a.kind = 'available') as account_id
    from invoices where payment_hash = p.payment_hash and invoice is not distinct from p.invoice and p.peer is null offset 0
  ) i on true
  cross join lateral (
    select (select a.id from ledger_accounts a where a.wallet_id = p.wallet_id and a.kind = 'available') as available_id,
           (select a.id from ledger_accounts a where a.wallet_id = p.wallet_id and a.kind = 'held') as held_id,
           (select a.id from ledger_accounts a where a.peer = p.peer) as peer_id
    offset 0
  ) payer
  cross join lateral (
    select coalesce(sum(l.amount) filter (where l.account_id = payer.available_id), 0) as available,
           coalesce(sum(l.amount) filter (where l.account_id = payer.held_id), 0) as held,
           coalesce(sum(l.amount) filter (where l.account_id = i.account_id and l.account_id <> payer.available_id), 0) as credit,
           count(*) filter (where l.account_id = i.account_id and l.account_id <> payer.available_id) as credits,
           coalesce(sum(l.amount) filter (where l.account_id = payer.peer_id), 0) as to_peer,
           count(*) filter (where e.kind = 'loss') as losses,
           count(*) filter (where l.account_id not in (payer.available_id, payer.held_id)
                              and l.account_id is distinct from i.account_id
                              and l.account_id is distinct from payer.peer_id) as strangers
    from journal_entries e
    cross join lateral (
      -- Only a user's posting and a peer's carry a balance.
      select account_id, amount from postings where entry_id = e.id and balance_after is not null offset 0
    ) l
    where e.payment_id = p.id
  ) moved;

-- Each receipt beside what the ledger moved for it. One with an invoice settled that invoice and credited its wallet, by one
-- posting; one without moved no user's money.
create view receipt_books as
  select r.id, r.payment_hash, r.amount_msats, r.invoice_id, moved.credit, moved.from_peer,
         moved.entries = 1
           and (r.peer is null or moved.from_peer = -r.amount_msats)
           and case
             when r.invoice_id is null then moved.user_postings = 0
             else i.settled_at is not null and i.received_msats = r.amount_msats and i.payment_hash = r.payment_hash
               and moved.user_postings = 1 and moved.credit = coalesce(i.credited, 0)
           end as fits
  from receipts r
  left join lateral (
    select *, (select a.id from ledger_accounts a where a.wallet_id = invoices.wallet_id and a.kind = 'available') as account_id
    from invoices where id = r.invoice_id offset 0
  ) i on true
  cross join lateral (
    select count(distinct e.id) as entries,
           coalesce(sum(l.amount) filter (where l.account_id = i.account_id), 0) as credit,
           count(*) filter (where l.balance_after is not null and l.peer is null) as user_postings,
           coalesce(sum(l.amount) filter (where l.peer = r.peer), 0) as from_peer
    from journal_entries e
    cross join lateral (
      select account_id, amount, balance_after, (select a.peer from ledger_accounts a where a.id = postings.account_id) as peer
      from postings where entry_id = e.id offset 0
    ) l
    where e.receipt_id = r.id
  ) moved;

create function receipt_must_be_posted(checked_receipt_id bigint) returns void language plpgsql as $$
begin
  if (select fits from receipt_books where id = checked_receipt_id) is not true then
    raise exception 'receipt % is not what the ledger moved for it', checked_receipt_id using errcode = 'PY007';
  end if;
end $$;
create function receipts_are_posted() returns trigger language plpgsql as $$
begin
  perform receipt_must_be_posted(new.id);
  return null;
end $$;
create constraint trigger receipts_are_posted after insert on receipts
  deferrable initially deferred for each row execute function receipts_are_posted();
create function entries_fit_their_receipt() returns trigger language plpgsql as $$
begin
  perform receipt_must_be_posted(new.receipt_id);
  return null;
end $$;
create constraint trigger entries_fit_their_receipt after insert on journal_entries
  deferrable initially deferred for each row when (new.receipt_id is not null) execute function entries_fit_their_receipt();

-- An invoice is settled by a payment of one of our people or by a receipt, with what that one sent.
create or replace function invoices_are_settled_by_payments() returns trigger language plpgsql as $$
declare
  paid_by bigint;
begin
  select p.id into paid_by from payments p
    where p.payment_hash = new.payment_hash and p.invoice is not distinct from new.invoice and p.peer is null
      and p.state = 'succeeded' and p.amount_msats = new.received_msats;
  if paid_by is not null then
    perform payment_must_be_posted(paid_by);
    return null;
  end if;
  select r.id into paid_by from receipts r where r.invoice_id = new.id;
  if paid_by is null then
    raise exception 'invoice % is settled without a payment', new.id using errcode = 'PY004';
  end if;
  perform receipt_must_be_posted(paid_by);
  return null;
end $$;

-- Reserves a wallet's money for a payment that will leave. `outcome`: held (the payment is new, and `worker` acts on it) |
-- known (this hash is under way or done, or the Idempotency-Key was used: that payment tells more) | wrapped (the hash is that of an invoice of ours, in another invoice) | expired | many (so many of this
-- user's payments are under way already).
create function hold_payment(
  paid_hash text, paid_invoice text, payer text, through_connection text, from_wallet bigint, to_peer text, msats bigint,
  fee_limit bigint, most_debit bigint, snapshot text, memo text, memo_hash text, ends_at timestamptz, own_preimage text,
  shown_metadata jsonb, client_key text, most_open integer, worker text, lease interval
) returns table (outcome text, payment_id bigint) language plpgsql as $$
begin
  -- Copies and siblings of one user queue here, so that the count below is true.
  perform 1 from users where id = payer for no key update;
  select id into payment_id from payments
    where payments.payment_hash = paid_hash and state <> 'failed' or user_id = payer and idempotency_key = client_key and state <> 'failed'
    order by id limit 1;
  if found then
    outcome := 'known';
    return next;
    return;
  end if;
  if exists (select from invoices where invoices.payment_hash = paid_hash) then
    outcome := 'wrapped';
  elsif ends_at <= clock_timestamp() then
    outcome := 'expired';
  elsif (select count(*) from payments where user_id = payer and state in ('held', 'sending')) >= most_open then
    outcome := 'many';
  else
    insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, peer, amount_msats, fee_limit_msats, debit,
                          rate_snapshot_id, description, description_hash, expires_at, keysend_preimage, metadata,
                          idempotency_key, state, claimed_by, claimed_until)
      values (paid_hash, paid_invoice, payer, through_connection, from_wallet, to_peer, msats, fee_limit, most_debit, snapshot,
              memo, memo_hash, ends_at, own_preimage, shown_metadata, client_key, 'held', worker, now() + lease)
      -- Another user may have taken the hash since it was looked up.
      on conflict (payment_hash) where state <> 'failed' do nothing
      returning id into payment_id;
    if payment_id is null then
      outcome := 'known';
      select id into payment_id from payments where payments.payment_hash = paid_hash and state <> 'failed';
    else
      perform post_entry('hold', 'hold:' || payment_id, array[a.id, h.id], array[-most_debit, most_debit], payment_id)
        from ledger_accounts a, ledger_accounts h
        where a.wallet_id = from_wallet and a.kind = 'available' and h.wallet_id = from_wallet and h.kind = 'held';
      outcome := 'held';
    end if;
  end if;
  return next;
end $$;

-- Ends a payment that the node has made. The lines say where its debit goes; the hold that they come from, and what was
-- not needed of it and goes back, are added here. `settled` the first time, `already` afterwards, `failed` when it was given
-- up before: then nothing is moved here.
create function settle_payment(
  settled_id bigint, proof text, fee bigint, final_debit bigint, account_ids bigint[], amounts bigint[]
) returns text language plpgsql as $$
declare
  payment payments%rowtype;
  back bigint;
begin
  select * into payment from payments where id = settled_id for update;
  if payment.state = 'failed' then
    return 'failed';
  elsif payment.state = 'succeeded' then
    return 'already';
  end if;
  back := payment.debit - final_debit;
  update payments set state = 'succeeded', preimage = proof, fee_msats = fee, debit = final_debit, settled_at = now(),
                      claimed_by = null, claimed_until = null
    where id = settled_id;
  perform post_entry('settle', 'settle:' || settled_id,
      account_ids || h.id || case when back > 0 then array[a.id] else array[]::bigint[] end,
      amounts || -payment.debit || case when back > 0 then array[back] else array[]::bigint[] end, settled_id)
    from ledger_accounts a, ledger_accounts h
    where a.wallet_id = payment.wallet_id and a.kind = 'available' and h.wallet_id = payment.wallet_id and h.kind = 'held';
  if payment.awaited then
    perform pg_notify('payment_ended', settled_id::text);
  end if;
  return 'settled';
end $$;

-- Gives a payment up that the node will never make, and the hold back. `failed` the first time, `already` afterwards,
-- `succeeded` when it was settled before.
create function fail_payment(failed_id bigint, why text) returns text language plpgsql as $$
declare
  payment payments%rowtype;
begin
  select * into payment from payments where id = failed_id for update;
  if payment.state = 'failed' then
    return 'already';
  elsif payment.state = 'succeeded' then
    return 'succeeded';
  end if;
  update payments set state = 'failed', failure = why, claimed_by = null, claimed_until = null where id = failed_id;
  perform post_entry('release', 'release:' || failed_id, array[a.id, h.id], array[payment.debit, -payment.debit], failed_id)
    from ledger_accounts a, ledger_accounts h
    where a.wallet_id = payment.wallet_id and a.kind = 'available' and h.wallet_id = payment.wallet_id and h.kind = 'held';
  if payment.awaited then
    perform pg_notify('payment_ended', failed_id::text);
  end if;
  return 'failed';
end $$;

-- Books what the node has received, each hash once. With an invoice that is still open its wallet is credited by the given
-- lines: `credited`. Otherwise nothing is moved and the word says why: known | settled | unknown | amount (less than was
-- asked for). The invoice's row lock decides between this and a payment of one of our own people.
create function book_receipt(
  paid_hash text, from_peer text, msats bigint, credited_amount bigint, account_ids bigint[], amounts bigint[]
) returns text language plpgsql as $$
declare
  bill invoices%rowtype;
  new_id bigint;
begin
  select * into bill from invoices where invoices.payment_hash = paid_hash for update;
  if exists (select from receipts where receipts.payment_hash = paid_hash) then
    return 'known';
  elsif bill.id is null then
    return 'unknown';
  elsif bill.settled_at is not null then
    return 'settled';
  elsif msats < bill.amount_msats then
    return 'amount';
  end if;
  insert into receipts (payment_hash, peer, amount_msats, invoice_id) values (paid_hash, from_peer, msats, bill.id)
    returning id into new_id;
  perform post_entry('receive', 'receive:' || paid_hash, account_ids, amounts, null, new_id);
  update invoices set settled_at = now(), received_msats = msats, credited = credited_amount where id = bill.id;
  return 'credited';
end $$;

-- Books a receipt that belongs to nobody, or came when its invoice was settled already, to the suspense account, for a
-- person to look at. False when it was booked before.
create function suspend_receipt(paid_hash text, from_peer text, msats bigint, account_ids bigint[], amounts bigint[])
  returns boolean language plpgsql as $$
declare
  new_id bigint;
begin
  insert into receipts (payment_hash, peer, amount_msats) values (paid_hash, from_peer, msats)
    on conflict (payment_hash) do nothing
    returning id into new_id;
  if new_id is null then
    return false;
  end if;
  perform post_entry('receive', 'receive:' || paid_hash, account_ids, amounts, null, new_id);
  return true;
end $$;

-- Pays a keysend from one of our people to another: both rows and the money in one transaction. `paid`, or `taken` when the
-- hash or the key was used before.
create function settle_internal_keysend(
  own_preimage text, payer text, through_connection text, from_wallet bigint, payee text, to_wallet bigint, msats bigint,
  debited bigint, credited_amount bigint, snapshot text, memo text, shown_metadata jsonb, client_key text,
  account_ids bigint[], amounts bigint[]
) returns text language plpgsql as $$
declare
  paid_hash text := encode(sha256(decode(own_preimage, 'hex')), 'hex');
  new_id bigint;
begin
  perform 1 from users where id = payer for no key update;
  -- Whatever was asked for before, under this key or with this hash, is what the caller looks at.
  if exists (select from payments where payment_hash = paid_hash and state <> 'failed'
             or user_id = payer and idempotency_key = client_key and state <> 'failed') then
    return 'taken';
  end if;
  insert into invoices (payment_hash, preimage, user_id, wallet_id, amount_msats, description, metadata, settled_at, received_msats, credited)
    values (paid_hash, own_preimage, payee, to_wallet, msats, memo, shown_metadata, now(), msats,
            case when to_wallet <> from_wallet then credited_amount end)
    on conflict (payment_hash) do nothing;
  if not found then
    return 'taken';
  end if;
  insert into payments (payment_hash, user_id, connection_id, wallet_id, amount_msats, debit, rate_snapshot_id, description,
                        keysend_preimage, metadata, idempotency_key, state, preimage, settled_at)
    values (paid_hash, payer, through_connection, from_wallet, msats, debited, snapshot, memo, own_preimage, shown_metadata,
            client_key, 'succeeded', own_preimage, now())
    on conflict (payment_hash) where state <> 'failed' do nothing
    returning id into new_id;
  if new_id is null then
    -- The hash is in use by a payment that leaves: nothing of this is kept.
    raise exception 'the hash was used' using errcode = 'PY008';
  end if;
  if cardinality(account_ids) > 0 then
    perform post_entry('payment', 'payment:' || new_id, account_ids, amounts, new_id);
  end if;
  return 'paid';
end $$;

-- The sandbox node's own books: what it has sent, what it has received, and what it has refused for ever. They are kept
-- apart from the ledger, so that the two can be compared.
create schema lightning_node;

create table lightning_node.sends (
  -- The id under which the node was asked; asking twice sends once.
  send_id         bigint primary key,
  payment_hash    text not null,
  -- The key under which it was sent: the payee knows it under no other.
  payer           text not null,
  payee           text not null,
  -- Null where it was tracked before it was ever sent, and so refused.
  amount_msats    bigint,
  fee_limit_msats bigint,
  fee_msats       bigint,
  state           text not null,
  preimage        text,
  failure         text,
  created_at      timestamptz not null default now(),
  ended_at        timestamptz,
  constraint sends_state_known check (state in ('in_flight', 'succeeded', 'failed')),
  constraint sends_amount_positive check (amount_msats > 0),
  constraint sends_amounts_unless_failed check (amount_msats is not null and fee_limit_msats is not null or state = 'failed'),
  constraint sends_failure_when_failed check ((failure is not null) = (state = 'failed')),
  constraint sends_preimage_fits check (encode(sha256(decode(preimage, 'hex')), 'hex') = payment_hash),
  constraint sends_succeeded_with_preimage check ((state = 'succeeded') = (preimage is not null and fee_msats is not null)),
  constraint sends_ended_when_done check ((state = 'in_flight') = (ended_at is null))
);
-- For the comparison of the books with a peer's.
create index sends_payee_idx on lightning_node.sends (payee);
create trigger sends_ended_stay before update on lightning_node.sends
  for each row when (old.state <> 'in_flight') execute function settled_rows_stay();

create table lightning_node.receipts (
  id           bigint generated always as identity,
  payer        text not null,
  payment_hash text not null,
  -- The payer's name for this try; a hash that was refused once may come again under another.
  attempt      text not null,
  state        text not null,
  amount_msats bigint,
  preimage     text,
  failure      text,
  created_at   timestamptz not null default now(),
  primary key (payer, payment_hash, attempt),
  constraint receipts_state_known check (state in ('received', 'refused')),
  constraint receipts_received_whole check ((state = 'received') = (amount_msats is not null and preimage is not null)),
  constraint receipts_failure_when_refused check ((failure is not null) = (state = 'refused')),
  constraint receipts_preimage_fits check (encode(sha256(decode(preimage, 'hex')), 'hex') = payment_hash)
);
-- For the audit, which reads them in slices.
create unique index receipts_id_key on lightning_node.receipts (id);
create unique index receipts_received_key on lightning_node.receipts (payment_hash) where state = 'received';
create trigger receipts_append_only before update or delete or truncate on lightning_node.receipts
  for each statement execute function ledger_is_append_only();

-- What was asked and what became of it; `failure` says why not. A word once given stays.
create function lightning_node.answer_of(asking_payer text, asked_hash text, asked_attempt text)
  returns table (state text, preimage text, failure text, amount_msats bigint) language sql as $$
  select r.state, r.preimage, r.failure, r.amount_msats from lightning_node.receipts r
  where r.payer = asking_payer and r.payment_hash = asked_hash and r.attempt = asked_attempt
$$;

-- Refuses this attempt for ever, unless it was received before: the final word at once for what never arrived.
create function lightning_node.refuse(asking_payer text, asked_hash text, asked_attempt text, why text)
  returns table (state text, preimage text, failure text, amount_msats bigint) language plpgsql as $$
begin
  insert into lightning_node.receipts (payer, payment_hash, attempt, state, failure)
    values (asking_payer, asked_hash, asked_attempt, 'refused', why)
    on conflict do nothing;
  return query select * from lightning_node.answer_of(asking_payer, asked_hash, asked_attempt);
end $$;

-- Receives a payment: the node's row, the receipt and the credit in one transaction, or a refusal. A keysend brings its
-- preimage, and its invoice is made here. `most_owed`: how much the peer may owe us when this is booked, in msats.
-- Nothing is kept, and the caller refuses, when it raises LN001 (over that limit), LN002 or a unique violation (the hash was
-- used, here or by another try of the payer that came first): caught in here they would be a subtransaction, in which no entry
-- can be posted (`postings_join_new_entries`).
create function lightning_node.receive(
  from_payer text, paid_hash text, this_attempt text, msats bigint, ends_at timestamptz, most_owed bigint,
  sent_preimage text, payee text, to_wallet bigint, memo text, shown_metadata jsonb,
  credited_amount bigint, account_ids bigint[], amounts bigint[]
) returns table (state text, preimage text, failure text, amount_msats bigint) language plpgsql as $$
declare
  bill invoices%rowtype;
  why text;
  booked text;
begin
  return query select * from lightning_node.answer_of(from_payer, paid_hash, this_attempt);
  if found then
    return;
  end if;
  if sent_preimage is null then
    select * into bill from invoices where invoices.payment_hash = paid_hash for update;
  end if;
  why := case
    when ends_at <= clock_timestamp() then 'late'
    when sent_preimage is null and (bill.id is null or bill.invoice is null) then 'unknown'
    when bill.settled_at is not null then 'paid'
    when bill.expires_at <= clock_timestamp() then 'expired'
    -- A payer may send a little more, never twice as much (BOLT 4).
    when msats < bill.amount_msats or msats > 2 * bill.amount_msats then 'amount'
  end;
  if why is not null then
    return query select * from lightning_node.refuse(from_payer, paid_hash, this_attempt, why);
    return;
  end if;
  insert into lightning_node.receipts (payer, payment_hash, attempt, state, amount_msats, preimage)
    values (from_payer, paid_hash, this_attempt, 'received', msats, coalesce(sent_preimage, bill.preimage));
  if sent_preimage is null then
    booked := book_receipt(paid_hash, from_payer, msats, credited_amount, account_ids, amounts);
  else
    booked := lightning_node.book_keysend(paid_hash, sent_preimage, from_payer, msats, payee, to_wallet, memo, shown_metadata,
                                          credited_amount, account_ids, amounts);
  end if;
  if booked <> 'credited' then
    raise exception 'the hash was used' using errcode = 'LN002';
  end if;
  if (select balance from ledger_accounts where peer = from_payer) < -most_owed then
    raise exception 'over the limit of this peer' using errcode = 'LN001';
  end if;
  return query select * from lightning_node.answer_of(from_payer, paid_hash, this_attempt);
end $$;

create function lightning_node.book_keysend(
  paid_hash text, sent_preimage text, from_payer text, msats bigint, payee text, to_wallet bigint, memo text, shown_metadata jsonb,
  credited_amount bigint, account_ids bigint[], amounts bigint[]
) returns text language plpgsql as $$
declare
  invoice_id bigint;
  new_id bigint;
begin
  insert into invoices (payment_hash, preimage, user_id, wallet_id, amount_msats, description, metadata, settled_at, received_msats, credited)
    values (paid_hash, sent_preimage, payee, to_wallet, msats, memo, shown_metadata, now(), msats, credited_amount)
    on conflict (payment_hash) do nothing
    returning id into invoice_id;
  if invoice_id is null then
    return 'known';
  end if;
  insert into receipts (payment_hash, peer, amount_msats, invoice_id) values (paid_hash, from_payer, msats, invoice_id)
    returning id into new_id;
  perform post_entry('receive', 'receive:' || paid_hash, account_ids, amounts, null, new_id);
  return 'credited';
end $$;
