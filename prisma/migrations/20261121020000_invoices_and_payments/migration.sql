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
  constraint invoices_wallet_id_fkey foreign key (wallet_id, user_id)
    references wallets (id, user_id) on delete restrict on update restrict,
  constraint invoices_payment_hash_form check (payment_hash ~ '^[0-9a-f]{64}$'),
  constraint invoices_preimage_fits check (encode(sha256(decode(preimage, 'hex')), 'hex') = payment_hash),
  constraint invoices_amount_positive check (amount_msats > 0),
  constraint invoices_settled_with_amount check ((settled_at is null) = (received_msats is null)),
  constraint invoices_received_enough check (received_msats >= coalesce(amount_msats, 1))
);
create unique index invoices_payment_hash_key on invoices (payment_hash);
create index invoices_user_id_created_at_id_idx on invoices (user_id, created_at desc, id desc);

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
create index payments_user_id_created_at_id_idx on payments (user_id, created_at desc, id desc);
create index payments_settled_at_idx on payments (settled_at);
create index payments_open_wallet_id_idx on payments (wallet_id) where state in ('held', 'sending');

alter table journal_entries add constraint journal_entries_payment_id_fkey
  foreign key (payment_id) references payments (id) on delete restrict on update restrict;

-- A settled invoice and a finished payment stay as they are, and neither is taken away.
create function settled_rows_stay() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'invoices' and (to_jsonb(old) ->> 'settled_at') is not null
     or tg_table_name = 'payments' and (to_jsonb(old) ->> 'state') in ('succeeded', 'failed') then
    raise exception 'a settled row of % never changes', tg_table_name using errcode = 'PY001';
  end if;
  return new;
end $$;
-- held -> sending -> succeeded or failed, and held -> failed.
create function payments_follow_the_arrows() returns trigger language plpgsql as $$
begin
  if new.state <> old.state and (old.state, new.state) not in
     (values ('held', 'sending'), ('held', 'failed'), ('sending', 'succeeded'), ('sending', 'failed')) then
    raise exception 'a payment does not go from % to %', old.state, new.state using errcode = 'PY002';
  end if;
  return new;
end $$;
create trigger payments_states_follow_arrows before update on payments
  for each row execute function payments_follow_the_arrows();

-- At the end of the transaction a payment that succeeded took from its wallet what it says, and one from a wallet to
-- itself took nothing; an entry added to a finished payment later is found here too.
create function payment_must_be_posted(checked_payment_id bigint) returns void language plpgsql as $$
declare
  paid payments%rowtype;
  to_itself boolean;
  taken numeric;
begin
  select * into paid from payments where id = checked_payment_id;
  if paid.state <> 'succeeded' then
    return;
  end if;
  select coalesce(bool_or(i.wallet_id = paid.wallet_id), false) into to_itself
    from invoices i where i.payment_hash = paid.payment_hash and i.invoice = paid.invoice;
  select coalesce(-sum(p.amount), 0) into taken
    from journal_entries e
    join postings p on p.entry_id = e.id
    join ledger_accounts a on a.id = p.account_id
    where e.payment_id = paid.id and a.wallet_id = paid.wallet_id;
  if taken <> (case when to_itself then 0 else paid.debit end) then
    raise exception 'payment % says %, the ledger took %', paid.id, paid.debit, taken using errcode = 'PY003';
  end if;
end $$;
create function payments_are_posted() returns trigger language plpgsql as $$
begin
  perform payment_must_be_posted(new.id);
  return null;
end $$;
create constraint trigger payments_are_posted after insert or update on payments
  deferrable initially deferred for each row when (new.state = 'succeeded') execute function payments_are_posted();
create function entries_fit_their_payment() returns trigger language plpgsql as $$
begin
  perform payment_must_be_posted(new.payment_id);
  return null;
end $$;
create constraint trigger entries_fit_their_payment after insert on journal_entries
  deferrable initially deferred for each row when (new.payment_id is not null) execute function entries_fit_their_payment();

-- An invoice is settled by a payment of its hash, with what that payment sent.
create function invoices_are_settled_by_payments() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from payments p
                 where p.payment_hash = new.payment_hash and p.state = 'succeeded' and p.amount_msats = new.received_msats) then
    raise exception 'invoice % is settled without a payment', new.id using errcode = 'PY004';
  end if;
  return null;
end $$;
create constraint trigger invoices_are_settled_by_payments after insert or update on invoices
  deferrable initially deferred for each row when (new.settled_at is not null)
  execute function invoices_are_settled_by_payments();

create trigger invoices_settled_stay before update on invoices for each row execute function settled_rows_stay();
create trigger payments_settled_stay before update on payments for each row execute function settled_rows_stay();
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
    update invoices set settled_at = now(), received_msats = msats where id = bill.id;
    outcome := 'paid';
    preimage := bill.preimage;
  end if;
  return next;
end $$;
