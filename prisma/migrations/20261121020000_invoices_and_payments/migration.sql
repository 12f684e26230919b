-- Invoices of our people, their payments, and the function that settles one against the other in one transaction.

-- The rates that a payment was made at, kept so that its budget amount can be told again later. `id` is the SHA-256 of
-- the content: the same rates are one row.
create table rate_snapshots (
  id         text primary key,
  rates      jsonb not null,
  created_at timestamptz not null default now()
);
create trigger rate_snapshots_append_only before update or delete or truncate on rate_snapshots
  for each statement execute function ledger_is_append_only();

-- An invoice credits, and a payment debits, a wallet of its own person.
create unique index wallets_id_user_id_key on wallets (id, user_id);

create table invoices (
  id               bigint generated always as identity primary key,
  payment_hash     text not null,
  preimage         text not null,
  invoice          text not null,
  user_id          text not null references users (id) on delete restrict on update restrict,
  -- The wallet that is credited.
  wallet_id        bigint not null,
  -- Null: the payer chooses.
  amount_msats     bigint,
  description      text,
  description_hash text,
  created_at       timestamptz not null default now(),
  expires_at       timestamptz not null,
  settled_at       timestamptz,
  received_msats   bigint,
  -- What its wallet got, in ledger units; null also when that wallet paid itself.
  credited         bigint,
  constraint invoices_wallet_id_fkey foreign key (wallet_id, user_id)
    references wallets (id, user_id) on delete restrict on update restrict,
  constraint invoices_payment_hash_form check (payment_hash ~ '^[0-9a-f]{64}$'),
  constraint invoices_preimage_fits check (encode(sha256(decode(preimage, 'hex')), 'hex') = payment_hash),
  constraint invoices_amount_positive check (amount_msats > 0),
  constraint invoices_settled_with_amount check ((settled_at is null) = (received_msats is null)),
  constraint invoices_received_enough check (received_msats >= coalesce(amount_msats, 1)),
  constraint invoices_credited_when_settled check (credited is null or credited > 0 and settled_at is not null)
);
create unique index invoices_payment_hash_key on invoices (payment_hash);
-- One for each list, so that a page of one kind reads no row of the others, however many there are.
create index invoices_settled_idx on invoices (user_id, created_at desc, id desc) where settled_at is not null;
create index invoices_open_idx on invoices (user_id, created_at desc, id desc, expires_at) where settled_at is null;
-- For the audit.
create index invoices_settled_at_idx on invoices (settled_at) where settled_at is not null;

create table payments (
  id               bigint generated always as identity primary key,
  payment_hash     text not null,
  invoice          text,
  user_id          text not null references users (id) on delete restrict on update restrict,
  -- The token that asked; null when the person paid in the dashboard.
  connection_id    text references connections (id) on delete restrict on update restrict,
  -- The wallet that is debited.
  wallet_id        bigint not null,
  amount_msats     bigint not null,
  fee_msats        bigint not null default 0,
  -- Ledger units of the debited wallet, fees included.
  debit            bigint not null,
  rate_snapshot_id text not null references rate_snapshots (id) on delete restrict on update restrict,
  description      text,
  description_hash text,
  state            text not null,
  preimage         text,
  created_at       timestamptz not null default now(),
  expires_at       timestamptz,
  settled_at       timestamptz,
  constraint payments_wallet_id_fkey foreign key (wallet_id, user_id)
    references wallets (id, user_id) on delete restrict on update restrict,
  constraint payments_payment_hash_form check (payment_hash ~ '^[0-9a-f]{64}$'),
  constraint payments_amount_positive check (amount_msats > 0),
  constraint payments_fee_not_negative check (fee_msats >= 0),
  constraint payments_debit_positive check (debit > 0),
  constraint payments_state_known check (state in ('held', 'sending', 'succeeded', 'failed')),
  constraint payments_succeeded_with_preimage check ((state = 'succeeded') = (preimage is not null)),
  constraint payments_preimage_fits check (encode(sha256(decode(preimage, 'hex')), 'hex') = payment_hash),
  constraint payments_settled_when_done check ((state = 'succeeded') = (settled_at is not null))
);
-- One payment of a hash is under way or done, whoever pays: a hash is settled once.
create unique index payments_payment_hash_live_key on payments (payment_hash) where state <> 'failed';
create index payments_payment_hash_idx on payments (payment_hash);
create index payments_listed_idx on payments (user_id, created_at desc, id desc) where state <> 'failed';
create index payments_open_wallet_id_idx on payments (wallet_id) where state in ('held', 'sending');

alter table journal_entries add constraint journal_entries_payment_id_fkey
  foreign key (payment_id) references payments (id) on delete restrict on update restrict;

-- A settled invoice and a finished payment stay as they are, and neither is taken away.
create function settled_rows_stay() returns trigger language plpgsql as $$
begin
  raise exception 'a settled row of % never changes', tg_table_name using errcode = 'PY001';
end $$;
create trigger invoices_settled_stay before update on invoices
  for each row when (old.settled_at is not null) execute function settled_rows_stay();
create trigger payments_settled_stay before update on payments
  for each row when (old.state in ('succeeded', 'failed')) execute function settled_rows_stay();

-- held -> sending -> succeeded or failed, and held -> failed.
create function payments_follow_the_arrows() returns trigger language plpgsql as $$
begin
  if (old.state, new.state) not in
     (values ('held', 'sending'), ('held', 'failed'), ('sending', 'succeeded'), ('sending', 'failed')) then
    raise exception 'a payment does not go from % to %', old.state, new.state using errcode = 'PY002';
  end if;
  return new;
end $$;
create trigger payments_states_follow_arrows before update on payments
  for each row when (new.state <> old.state) execute function payments_follow_the_arrows();

-- What was asked for and agreed to stays while a payment or an invoice is open. Only in the step to success may the debit
-- be less than was held: what the route did not cost goes back.
create function terms_stay() returns trigger language plpgsql as $$
begin
  raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
end $$;
create trigger invoices_terms_stay before update on invoices for each row when (
  (new.id, new.payment_hash, new.preimage, new.invoice, new.user_id, new.wallet_id, new.amount_msats, new.description, new.description_hash)
  is distinct from
  (old.id, old.payment_hash, old.preimage, old.invoice, old.user_id, old.wallet_id, old.amount_msats, old.description, old.description_hash)
) execute function terms_stay();
create trigger payments_terms_stay before update on payments for each row when (
  (new.id, new.payment_hash, new.invoice, new.user_id, new.connection_id, new.wallet_id, new.amount_msats, new.rate_snapshot_id,
   new.description, new.description_hash, new.created_at, new.expires_at)
  is distinct from
  (old.id, old.payment_hash, old.invoice, old.user_id, old.connection_id, old.wallet_id, old.amount_msats, old.rate_snapshot_id,
   old.description, old.description_hash, old.created_at, old.expires_at)
  or new.debit > old.debit or new.debit < old.debit and new.state <> 'succeeded'
) execute function terms_stay();

-- Each payment beside what the ledger moved for it: the one truth of the triggers below and of the audit. A payment under
-- way holds its debit, one that succeeded took it, one that failed took nothing, nor did one from a wallet to itself. The
-- wallet of our invoice got the amount written there, by one posting, and no third person's account was touched.
-- `offset 0` keeps each look-up on its index, also where no statistics were ever gathered.
create view payment_books as
  select p.id, p.payment_hash, p.state, p.debit, moved.available, moved.held, moved.credit,
         moved.available = case when p.state = 'failed' or p.state = 'succeeded' and p.wallet_id = i.wallet_id then 0 else -p.debit end
           and moved.held = case when p.state in ('held', 'sending') then p.debit else 0 end as payer_fits,
         moved.strangers = 0 and case
           when i.id is null or p.state <> 'succeeded' then moved.credits = 0
           when i.settled_at is null or i.received_msats <> p.amount_msats then false
           when i.wallet_id = p.wallet_id then i.credited is null
           else moved.credits = 1 and moved.credit = coalesce(i.credited, 0)
         end as payee_fits
  from payments p
  left join lateral (
    select id, wallet_id, settled_at, received_msats, credited,
           (select a.id from ledger_accounts a where a.wallet_id = invoices.wallet_id and a.kind = 'available') as account_id
    from invoices where payment_hash = p.payment_hash and invoice = p.invoice offset 0
  ) i on true
  cross join lateral (
    select (select a.id from ledger_accounts a where a.wallet_id = p.wallet_id and a.kind = 'available') as available_id,
           (select a.id from ledger_accounts a where a.wallet_id = p.wallet_id and a.kind = 'held') as held_id
    offset 0
  ) payer
  cross join lateral (
    select coalesce(sum(l.amount) filter (where l.account_id = payer.available_id), 0) as available,
           coalesce(sum(l.amount) filter (where l.account_id = payer.held_id), 0) as held,
           coalesce(sum(l.amount) filter (where l.account_id = i.account_id and l.account_id <> payer.available_id), 0) as credit,
           count(*) filter (where l.account_id = i.account_id and l.account_id <> payer.available_id) as credits,
           count(*) filter (where l.account_id not in (payer.available_id, payer.held_id)
                              and l.account_id is distinct from i.account_id) as strangers
    from journal_entries e
    cross join lateral (
      -- Only a user's posting carries a balance.
      select account_id, amount from postings where entry_id = e.id and balance_after is not null offset 0
    ) l
    where e.payment_id = p.id
  ) moved;

-- Asked at the end of the transaction, also for an entry that is added to a finished payment later.
create function payment_must_be_posted(checked_payment_id bigint) returns void language plpgsql as $$
declare
  books payment_books%rowtype;
begin
  select * into books from payment_books where id = checked_payment_id;
  if books.payer_fits is not true then
    raise exception 'payment % of % is %, the ledger moved % available and % held',
      books.id, books.debit, books.state, books.available, books.held using errcode = 'PY003';
  end if;
  if books.payee_fits is not true then
    raise exception 'payment % is not what its invoice received', books.id using errcode = 'PY005';
  end if;
end $$;
create function payments_are_posted() returns trigger language plpgsql as $$
begin
  -- The entries of a payment come after it, and each asks by itself.
  if tg_op = 'INSERT' and exists (select from journal_entries where payment_id = new.id) then
    return null;
  end if;
  perform payment_must_be_posted(new.id);
  return null;
end $$;
create constraint trigger payments_are_posted after insert on payments
  deferrable initially deferred for each row execute function payments_are_posted();
create constraint trigger payments_end_posted after update on payments
  deferrable initially deferred for each row when (new.state <> old.state and new.state in ('succeeded', 'failed'))
  execute function payments_are_posted();
create function entries_fit_their_payment() returns trigger language plpgsql as $$
begin
  perform payment_must_be_posted(new.payment_id);
  return null;
end $$;
create constraint trigger entries_fit_their_payment after insert on journal_entries
  deferrable initially deferred for each row when (new.payment_id is not null) execute function entries_fit_their_payment();

-- An invoice is settled by a payment of its own, with what that payment sent.
create function invoices_are_settled_by_payments() returns trigger language plpgsql as $$
declare
  paid_by bigint;
begin
  select p.id into paid_by from payments p
    where p.payment_hash = new.payment_hash and p.invoice = new.invoice and p.state = 'succeeded' and p.amount_msats = new.received_msats;
  if paid_by is null then
    raise exception 'invoice % is settled without a payment', new.id using errcode = 'PY004';
  end if;
  perform payment_must_be_posted(paid_by);
  return null;
end $$;
create constraint trigger invoices_are_settled_by_payments after insert or update on invoices
  deferrable initially deferred for each row when (new.settled_at is not null)
  execute function invoices_are_settled_by_payments();

create trigger invoices_kept before delete or truncate on invoices for each statement execute function ledger_is_append_only();
create trigger payments_kept before delete or truncate on payments for each statement execute function ledger_is_append_only();

-- Pays an invoice of this VASP from a wallet of this VASP: one transaction, no node. The invoice's row lock puts copies
-- of one payment in a queue; the first moves the money, the others find it done.
-- `outcome`: paid | repeated (this user has paid it before) | taken (somebody else has) | unknown | expired | amount.
create function settle_internal_payment(
  paid_hash text, paid_invoice text, payer text, through_connection text, from_wallet bigint, msats bigint,
  debited bigint, snapshot text, account_ids bigint[], amounts bigint[]
) returns table (outcome text, preimage text) language plpgsql as $$
declare
  bill invoices%rowtype;
  earlier payments%rowtype;
  new_id bigint;
begin
  select * into bill from invoices where invoices.payment_hash = paid_hash for update;
  if not found or bill.invoice <> paid_invoice then
    outcome := 'unknown';
  elsif bill.settled_at is not null then
    select * into earlier from payments where payments.payment_hash = paid_hash and payments.state = 'succeeded';
    if earlier.user_id = payer then
      outcome := case when earlier.amount_msats = msats then 'repeated' else 'amount' end;
      preimage := case when earlier.amount_msats = msats then earlier.preimage end;
    else
      outcome := 'taken';
    end if;
  elsif bill.expires_at <= clock_timestamp() then
    outcome := 'expired';
  elsif bill.amount_msats is distinct from msats and bill.amount_msats is not null then
    outcome := 'amount';
  else
    insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, amount_msats, debit, rate_snapshot_id,
                          description, description_hash, state, preimage, expires_at, settled_at)
      values (paid_hash, paid_invoice, payer, through_connection, from_wallet, msats, debited, snapshot,
              bill.description, bill.description_hash, 'succeeded', bill.preimage, bill.expires_at, now())
      returning id into new_id;
    -- A payment from a wallet to itself moves nothing.
    if cardinality(account_ids) > 0 then
      perform post_entry('payment', 'payment:' || new_id, account_ids, amounts, new_id);
    end if;
    update invoices set settled_at = now(), received_msats = msats, credited = (
      select line.amount from unnest(account_ids, amounts) as line (account_id, amount)
      join ledger_accounts credited_account on credited_account.id = line.account_id
      where credited_account.wallet_id = bill.wallet_id
    ) where id = bill.id;
    outcome := 'paid';
    preimage := bill.preimage;
  end if;
  return next;
end $$;
