-- The tables of release 0.1.0. This file never changes again: later changes are migrations of their own.
--
-- Amounts are integers. A ledger amount is in ledger units: the smallest unit of the currency, and millisatoshis where the
-- currency is SAT. A column that ends in _msats is in millisatoshis.
--
-- Checks, triggers and functions hold what must always be true, so that a direct statement is refused too. The current body
-- of each function is in prisma/functions; a test compares those files with the database.

create schema lightning_node;

-- Users, their sessions, and the tokens issued in their name -------------------------------------------------------------

create table users (
  id            text primary key,
  display_name  text not null,
  password_hash text not null,
  status        text not null default 'active',
  created_at    timestamptz not null default now(),
  constraint users_id_form check (id ~ '^[a-z0-9_.+-]{1,63}$'),
  constraint users_display_name_length check (char_length(display_name) between 1 and 80),
  constraint users_status_known check (status in ('active', 'suspended'))
);

create table wallets (
  id            bigint generated always as identity primary key,
  user_id       text not null references users (id) on delete restrict on update restrict,
  currency_code text not null,
  position      integer not null,
  created_at    timestamptz not null default now(),
  constraint wallets_currency_code_form check (currency_code ~ '^[A-Z]{3}$'),
  constraint wallets_position_from_zero check (position >= 0)
);
create unique index wallets_user_id_currency_code_key on wallets (user_id, currency_code);
create unique index wallets_user_id_position_key on wallets (user_id, position);
-- For references that name wallet and user: an invoice credits, and a payment debits, a wallet of its own user.
create unique index wallets_id_user_id_key on wallets (id, user_id);

create table sessions (
  id         text primary key,
  user_id    text not null references users (id) on delete restrict on update restrict,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at   timestamptz
);
create index sessions_user_id_idx on sessions (user_id);

create table login_grants (
  id            text primary key,
  user_id       text not null references users (id) on delete restrict on update restrict,
  session_id    text references sessions (id) on delete restrict on update restrict,
  app_host      text,
  app_client_id text,
  created_at    timestamptz not null default now(),
  expires_at    timestamptz not null,
  exchanges     integer not null default 0,
  -- A closed login creates no further connection, and its token opens nothing.
  closed_at     timestamptz,
  constraint login_grants_exchanges_limited check (exchanges between 0 and 20),
  constraint login_grants_app_host_length check (char_length(app_host) <= 255),
  constraint login_grants_app_client_id_length check (char_length(app_client_id) <= 200)
);
create index login_grants_user_id_created_at_idx on login_grants (user_id, created_at);
-- Old sessions are deleted when nothing refers to them, and each deletion asks here.
create index login_grants_session_id_idx on login_grants (session_id);

create table connections (
  id             text primary key,
  user_id        text not null references users (id) on delete restrict on update restrict,
  login_grant_id text not null references login_grants (id) on delete restrict on update restrict,
  name           text not null,
  permissions    text[],
  created_at     timestamptz not null default now(),
  expires_at     timestamptz,
  revoked_at     timestamptz,
  last_used_at   timestamptz,
  constraint connections_name_length check (char_length(name) between 1 and 80),
  constraint connections_permissions_given check (permissions is not null and cardinality(permissions) > 0)
);
create index connections_user_id_created_at_id_idx on connections (user_id, created_at desc, id desc);
create index connections_login_grant_id_idx on connections (login_grant_id);

-- Ledger -----------------------------------------------------------------------------------------------------------------

create table ledger_accounts (
  id            bigint generated always as identity primary key,
  kind          text not null,
  currency_code text not null,
  wallet_id     bigint references wallets (id) on delete restrict on update restrict,
  -- A user's and a node's account keep a running balance; any other house account is the sum of its postings.
  balance       bigint,
  -- Public key of the Lightning node whose account this is. A balance below zero is what that node owes us.
  node_key      text,
  constraint ledger_accounts_kind_known
    check (kind in ('available', 'held', 'lightning', 'fx', 'fees', 'rounding', 'faucet', 'suspense', 'node')),
  constraint ledger_accounts_wallet_by_kind check ((wallet_id is not null) = (kind in ('available', 'held'))),
  constraint ledger_accounts_balance_by_kind check ((balance is not null) = (kind in ('available', 'held', 'node'))),
  constraint ledger_accounts_balance_not_negative check (balance >= 0 or kind = 'node'),
  constraint ledger_accounts_node_key_by_kind check ((node_key is not null) = (kind = 'node')),
  constraint ledger_accounts_node_key_form check (kind <> 'node' or node_key ~ '^0[23][0-9a-f]{64}$' and currency_code = 'SAT')
);
create unique index ledger_accounts_id_currency_code_key on ledger_accounts (id, currency_code);
create unique index ledger_accounts_wallet_id_kind_key on ledger_accounts (wallet_id, kind);
create unique index ledger_accounts_house_key on ledger_accounts (kind, currency_code) where wallet_id is null and node_key is null;
create unique index ledger_accounts_node_key_key on ledger_accounts (node_key) where node_key is not null;

-- The rates of a payment, so that its budget amount can be computed again later. `id` is the SHA-256 of the content: equal
-- rates are one row.
create table rate_snapshots (
  id         text primary key,
  rates      jsonb not null,
  created_at timestamptz not null default now()
);

-- Invoices and payments --------------------------------------------------------------------------------------------------

-- A BOLT-11 invoice of one of our users, or a keysend that one of them received: that has no text and no expiry.
create table invoices (
  id               bigint generated always as identity primary key,
  payment_hash     text not null,
  preimage         text not null,
  invoice          text,
  user_id          text not null references users (id) on delete restrict on update restrict,
  -- The wallet that is credited.
  wallet_id        bigint not null,
  -- Null: the payer chooses.
  amount_msats     bigint,
  description      text,
  description_hash text,
  created_at       timestamptz not null default now(),
  expires_at       timestamptz,
  settled_at       timestamptz,
  received_msats   bigint,
  -- What its wallet received, in ledger units; null also when that wallet paid itself.
  credited         bigint,
  -- Destination and records of a keysend.
  metadata         jsonb,
  -- A fixed-rate invoice credits exactly this, in ledger units, at the rates of `rate_snapshot_id`, whatever the rates are
  -- when it is paid (UMAD-06). Null: the amount is converted when it is paid.
  fixed_credit     bigint,
  rate_snapshot_id text references rate_snapshots (id) on delete restrict on update restrict,
  -- Our fee of a fixed-rate invoice: a part of its amount.
  vasp_fee_msats   bigint not null default 0,
  constraint invoices_wallet_id_fkey foreign key (wallet_id, user_id)
    references wallets (id, user_id) on delete restrict on update restrict,
  constraint invoices_payment_hash_form check (payment_hash ~ '^[0-9a-f]{64}$'),
  constraint invoices_preimage_fits check (encode(sha256(decode(preimage, 'hex')), 'hex') = payment_hash),
  constraint invoices_amount_positive check (amount_msats > 0),
  constraint invoices_invoice_or_keysend check ((invoice is null) = (expires_at is null)),
  constraint invoices_keysend_is_settled check (invoice is not null or settled_at is not null),
  constraint invoices_settled_with_amount check ((settled_at is null) = (received_msats is null)),
  constraint invoices_received_enough check (received_msats >= coalesce(amount_msats, 1)),
  constraint invoices_credited_when_settled check (credited is null or credited > 0 and settled_at is not null),
  constraint invoices_fixed_rate_check check (
    (fixed_credit is null) = (rate_snapshot_id is null) and fixed_credit > 0 and (credited is null or credited = fixed_credit)
  ),
  constraint invoices_vasp_fee_check check (vasp_fee_msats = 0 or vasp_fee_msats > 0 and fixed_credit is not null)
);
create unique index invoices_payment_hash_key on invoices (payment_hash);
-- One index for each list, so that a page of one kind reads no row of the others.
create index invoices_settled_idx on invoices (user_id, created_at desc, id desc) where settled_at is not null;
create index invoices_open_idx on invoices (user_id, created_at desc, id desc, expires_at) where settled_at is null;
-- Only an invoice that another VASP requested has a fixed rate. A user's own list reads none of them.
create index invoices_own_open_idx on invoices (user_id, created_at desc, id desc, expires_at)
  where settled_at is null and fixed_credit is null;
-- Finds requested invoices that may be deleted, oldest first.
create index invoices_requested_open_idx on invoices (expires_at, id) where settled_at is null and fixed_credit is not null;
-- For the audit.
create index invoices_settled_at_idx on invoices (settled_at) where settled_at is not null;

-- A price that was promised to a user. The payment of a quote uses these numbers only.
create table quotes (
  id                     bigint generated always as identity primary key,
  payment_hash           text not null unique,
  invoice                text not null,
  user_id                text not null references users (id) on delete restrict on update restrict,
  -- Null when the user requested it in the dashboard.
  connection_id          text references connections (id) on delete restrict on update restrict,
  wallet_id              bigint not null,
  receiver_address       text not null,
  -- The protocol spoken with the receiver's VASP.
  protocol               text not null,
  locked_side            text not null,
  -- Smallest units of the wallet's currency, fees included.
  total_sending_amount   bigint not null,
  -- The same in ledger units: the exact amount that the wallet pays.
  debit                  bigint not null,
  -- Smallest units of the wallet's currency: our fee and the receiver's.
  fees                   bigint not null,
  -- Our fee, in ledger units of the wallet: a part of the debit.
  vasp_fee               bigint not null,
  -- code, symbol, name, decimals, as the receiver's VASP names them; the currency may be unknown here.
  receiving_currency     jsonb not null,
  total_receiving_amount bigint not null,
  -- Sending units for one receiving unit, for display only.
  multiplier             double precision not null,
  amount_msats           bigint not null,
  -- The maximum network fee, paid out of our fee.
  fee_limit_msats        bigint not null,
  rate_snapshot_id       text not null references rate_snapshots (id) on delete restrict on update restrict,
  comment                text,
  -- What the receiver's VASP sent about the receiver.
  payee_data             jsonb,
  -- The secret part of the URL at which the receiver's VASP may report its settlement, and that VASP's own URL.
  callback_id            text unique,
  remote_callback_url    text,
  -- The UMA invoice that is priced, and its UUID, unique for its receiver.
  uma_invoice            text,
  uma_invoice_uuid       uuid,
  created_at             timestamptz not null default now(),
  expires_at             timestamptz not null,
  constraint quotes_wallet_id_fkey foreign key (wallet_id, user_id)
    references wallets (id, user_id) on delete restrict on update restrict,
  constraint quotes_payment_hash_form check (payment_hash ~ '^[0-9a-f]{64}$'),
  constraint quotes_receiver_address_length check (length(receiver_address) <= 320),
  constraint quotes_protocol_known check (protocol in ('own', 'uma-1', 'uma-0', 'lnurl')),
  constraint quotes_locked_side_known check (locked_side in ('sending', 'receiving')),
  constraint quotes_total_sending_amount_positive check (total_sending_amount > 0),
  constraint quotes_debit_positive check (debit > 0),
  constraint quotes_fees_not_negative check (fees >= 0),
  constraint quotes_vasp_fee_in_debit check (vasp_fee >= 0 and vasp_fee < debit),
  constraint quotes_receiving_currency_form check (jsonb_typeof(receiving_currency) = 'object'),
  constraint quotes_total_receiving_amount_positive check (total_receiving_amount > 0),
  constraint quotes_multiplier_positive check (multiplier > 0),
  constraint quotes_amount_positive check (amount_msats > 0),
  constraint quotes_fee_limit_not_negative check (fee_limit_msats >= 0),
  constraint quotes_comment_length check (octet_length(comment) <= 1024),
  constraint quotes_payee_data_form check (jsonb_typeof(payee_data) = 'object'),
  constraint quotes_uma_invoice_length check (length(uma_invoice) <= 2000),
  constraint quotes_uma_invoice_has_uuid check ((uma_invoice is null) = (uma_invoice_uuid is null))
);
create index quotes_user_id_idx on quotes (user_id, id desc);
create index quotes_uma_invoice_uuid_idx on quotes (uma_invoice_uuid) where uma_invoice_uuid is not null;
-- Finds whether a VASP is a known counterparty.
create index quotes_receiver_domain_idx on quotes (split_part(receiver_address, '@', 2), id desc);
-- For the reference of a payment to its quote.
create unique index quotes_id_payment_hash_user_id_wallet_id_key on quotes (id, payment_hash, user_id, wallet_id);

create table payments (
  id                   bigint generated always as identity primary key,
  payment_hash         text not null,
  -- Null for a keysend.
  invoice              text,
  user_id              text not null references users (id) on delete restrict on update restrict,
  -- Null when the user paid in the dashboard.
  connection_id        text references connections (id) on delete restrict on update restrict,
  -- The wallet that is debited.
  wallet_id            bigint not null,
  -- The quote that is paid; null for any other payment.
  quote_id             bigint,
  amount_msats         bigint not null,
  -- The network fee, up to fee_limit_msats.
  network_fee_msats    bigint not null default 0,
  fee_limit_msats      bigint not null default 0,
  -- Ledger units of the debited wallet: amount and fee limit while the payment is open, amount and fees afterwards.
  debit                bigint not null,
  rate_snapshot_id     text not null references rate_snapshots (id) on delete restrict on update restrict,
  description          text,
  description_hash     text,
  state                text not null,
  preimage             text,
  -- Why it failed: a Failure of lib/lightning/node.ts.
  failure              text,
  created_at           timestamptz not null default now(),
  expires_at           timestamptz,
  settled_at           timestamptz,
  -- Public key of the node whose account is credited; null for a payment inside this VASP.
  node_key             text,
  -- Public key of the node that is paid.
  payee_key            text,
  -- The preimage of a keysend is ours, and stored before anything is sent.
  keysend_preimage     text,
  -- Destination and records of a keysend.
  metadata             jsonb,
  idempotency_key      text,
  -- The worker that acts on an open payment, and until when no other worker does.
  lease_owner          text,
  lease_expires_at     timestamptz,
  -- A request waits for the end in another process: send a NOTIFY when the payment ends.
  notify_on_completion boolean not null default false,
  -- Since when the node has answered "not found", and which node: public key.
  not_found_at         timestamptz,
  not_found_by         text,
  constraint payments_wallet_id_fkey foreign key (wallet_id, user_id)
    references wallets (id, user_id) on delete restrict on update restrict,
  -- The payment of a quote has the quote's hash, user and wallet.
  constraint payments_quote_id_fkey foreign key (quote_id, payment_hash, user_id, wallet_id)
    references quotes (id, payment_hash, user_id, wallet_id) on delete restrict on update restrict,
  constraint payments_payment_hash_form check (payment_hash ~ '^[0-9a-f]{64}$'),
  constraint payments_amount_positive check (amount_msats > 0),
  constraint payments_network_fee_not_negative check (network_fee_msats >= 0),
  constraint payments_fee_limit_not_negative check (fee_limit_msats >= 0),
  constraint payments_debit_positive check (debit > 0),
  constraint payments_state_known check (state in ('held', 'sending', 'succeeded', 'failed')),
  constraint payments_succeeded_with_preimage check ((state = 'succeeded') = (preimage is not null)),
  constraint payments_preimage_fits check (encode(sha256(decode(preimage, 'hex')), 'hex') = payment_hash),
  constraint payments_settled_when_done check ((state = 'succeeded') = (settled_at is not null)),
  constraint payments_node_and_payee check ((node_key is null) = (payee_key is null)),
  constraint payments_keysend_preimage_fits check (encode(sha256(decode(keysend_preimage, 'hex')), 'hex') = payment_hash),
  constraint payments_keysend_or_invoice check (keysend_preimage is null or invoice is null),
  constraint payments_idempotency_key_length check (char_length(idempotency_key) between 1 and 200),
  constraint payments_lease_whole check ((lease_owner is null) = (lease_expires_at is null)),
  constraint payments_ended_without_lease check (lease_owner is null or state in ('held', 'sending')),
  constraint payments_not_found_since check (not_found_by is null or not_found_at is not null),
  constraint payments_failure_when_failed check (failure is null or state = 'failed')
);
-- A hash has one payment that is open or succeeded, whoever pays: a hash is settled once.
create unique index payments_payment_hash_live_key on payments (payment_hash) where state <> 'failed';
create index payments_payment_hash_idx on payments (payment_hash);
-- An Idempotency-Key belongs to its connection: two apps of one user may use the same key.
create unique index payments_idempotency_key_live_key on payments (user_id, idempotency_key, coalesce(connection_id, ''))
  where idempotency_key is not null and state <> 'failed';
create index payments_listed_idx on payments (user_id, created_at desc, id desc) where state <> 'failed';
create index payments_open_wallet_id_idx on payments (wallet_id) where state in ('held', 'sending');
create index payments_open_user_id_idx on payments (user_id) where state in ('held', 'sending');
create index payments_open_lease_idx on payments (lease_expires_at) where state in ('held', 'sending');
create index payments_quote_id_idx on payments (quote_id) where quote_id is not null;
-- For the audit, which compares each payment with the node's own records.
create index payments_node_key_idx on payments (node_key, id) where node_key is not null;
-- Finds payments that settled since the last scan.
create index payments_settled_at_idx on payments (settled_at) where settled_at is not null;

-- What the node has received, each hash once. Without an invoice the money waits in the suspense account.
create table incoming_payments (
  id           bigint generated always as identity primary key,
  payment_hash text not null,
  -- Public key of the node whose account is debited; null when the node does not name one.
  node_key     text,
  amount_msats bigint not null,
  invoice_id   bigint references invoices (id) on delete restrict on update restrict,
  created_at   timestamptz not null default now(),
  constraint incoming_payments_payment_hash_form check (payment_hash ~ '^[0-9a-f]{64}$'),
  constraint incoming_payments_amount_positive check (amount_msats > 0)
);
create unique index incoming_payments_payment_hash_key on incoming_payments (payment_hash);
create unique index incoming_payments_invoice_id_key on incoming_payments (invoice_id);

-- Where the events of a node continue after a restart.
create table lightning_cursors (
  -- Public key of our own node.
  node_key   text primary key,
  cursor     text not null,
  updated_at timestamptz not null default now()
);

-- Journal ----------------------------------------------------------------------------------------------------------------

create table journal_entries (
  id                  bigint generated always as identity primary key,
  kind                text not null,
  idempotency_key     text not null,
  -- SHA-256 of the postings in account order: the same key with other content is refused.
  content_hash        text not null,
  -- The payment that this entry is a step of.
  payment_id          bigint references payments (id) on delete restrict on update restrict,
  incoming_payment_id bigint references incoming_payments (id) on delete restrict on update restrict,
  created_at          timestamptz not null default now(),
  constraint journal_entries_kind_known check (kind in
    ('opening', 'faucet', 'exchange', 'payment', 'hold', 'release', 'settle', 'receive', 'loss', 'reconciliation')),
  constraint journal_entries_key_length check (char_length(idempotency_key) between 1 and 200),
  constraint journal_entries_payment_by_kind
    check ((payment_id is not null) = (kind in ('payment', 'hold', 'release', 'settle', 'loss'))),
  constraint journal_entries_incoming_payment_by_kind check ((incoming_payment_id is not null) = (kind = 'receive'))
);
create unique index journal_entries_idempotency_key_key on journal_entries (idempotency_key);
-- A payment has each step once.
create unique index journal_entries_payment_id_kind_key on journal_entries (payment_id, kind);
create unique index journal_entries_incoming_payment_id_key on journal_entries (incoming_payment_id);
-- Losses are rare, and are looked up every few seconds.
create index journal_entries_loss_idx on journal_entries (payment_id) where kind = 'loss';

create table postings (
  id            bigint generated always as identity primary key,
  entry_id      bigint not null references journal_entries (id) on delete restrict on update restrict,
  account_id    bigint not null,
  currency_code text not null,
  amount        bigint not null,
  -- The running balance after this posting; null for an account that is summed instead.
  balance_after bigint,
  constraint postings_amount_not_zero check (amount <> 0),
  constraint postings_account_currency_fkey foreign key (account_id, currency_code)
    references ledger_accounts (id, currency_code) on delete restrict on update restrict
);
create index postings_entry_id_idx on postings (entry_id);
create index postings_account_id_id_idx on postings (account_id, id desc);

-- A loss is a payment whose money was given back although the node made it. Payments stay stopped, in every process on this
-- database, until a person has acknowledged each loss. The journal entry itself stops them, so a crash cannot come in between.
create table loss_acknowledgements (
  payment_id      bigint primary key references payments (id) on delete restrict on update restrict,
  acknowledged_at timestamptz not null default now()
);

-- A person gave up a payment whose node is gone for good.
create table payment_write_offs (
  payment_id     bigint primary key references payments (id) on delete restrict on update restrict,
  written_off_by text not null,
  reason         text not null,
  written_off_at timestamptz not null default now(),
  -- When the node's final answer came after all. Until then the node is asked whenever it can be reached.
  resolved_at    timestamptz,
  constraint payment_write_offs_written_off_by_length check (char_length(written_off_by) between 1 and 200),
  constraint payment_write_offs_reason_length check (char_length(reason) between 1 and 500)
);
create index payment_write_offs_open_idx on payment_write_offs (payment_id) where resolved_at is null;

-- An Idempotency-Key of a payment to an address, and the quote that it stands for. A quote is paid once, so one key is one
-- payment.
create table address_payment_keys (
  connection_id       text not null references connections (id) on delete restrict on update restrict,
  idempotency_key     text not null,
  -- Everything that makes the payment what it is, compared when the key is used again.
  request_fingerprint text not null,
  payment_hash        text not null references quotes (payment_hash) on delete restrict on update restrict,
  created_at          timestamptz not null default now(),
  primary key (connection_id, idempotency_key),
  constraint address_payment_keys_length check (length(idempotency_key) between 1 and 200)
);
create index address_payment_keys_payment_hash_idx on address_payment_keys (payment_hash);

-- UMA --------------------------------------------------------------------------------------------------------------------

-- UMA invoices that our users created (UMAD-09), for any payer or for one.
create table uma_invoices (
  id             bigint generated always as identity primary key,
  uuid           uuid not null unique,
  user_id        text not null references users (id) on delete restrict on update restrict,
  wallet_id      bigint not null,
  -- Smallest units of the wallet's currency.
  amount         bigint not null,
  max_payments   integer not null default 1,
  -- The address that was asked to pay it (UMAD-11).
  sender_address text,
  memo           text,
  encoded        text not null,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz not null,
  constraint uma_invoices_wallet_id_fkey foreign key (wallet_id, user_id)
    references wallets (id, user_id) on delete restrict on update restrict,
  constraint uma_invoices_amount_positive check (amount > 0),
  constraint uma_invoices_max_payments_limited check (max_payments between 1 and 1000),
  constraint uma_invoices_memo_length check (octet_length(memo) <= 639)
);
create index uma_invoices_user_id_idx on uma_invoices (user_id, id desc);

-- Who requested an invoice by UMA or LNURL, and with which data.
create table uma_pay_requests (
  invoice_id          bigint primary key references invoices (id) on delete restrict on update restrict,
  protocol            text not null,
  receiver_address    text not null,
  -- Null for plain LNURL, where the payer is not named.
  payer_address       text,
  payer_data          jsonb,
  -- Travel rule data of the payer, encrypted with a key of this VASP.
  travel_rule         bytea,
  comment             text,
  uma_invoice_id      bigint references uma_invoices (id) on delete restrict on update restrict,
  callback_id         text unique,
  remote_callback_url text,
  -- Where an unsigned request came from: an IPv4 address, or the network of an IPv6 address.
  payer_network       text,
  created_at          timestamptz not null default now(),
  constraint uma_pay_requests_protocol_known check (protocol in ('own', 'uma-1', 'uma-0', 'lnurl')),
  constraint uma_pay_requests_payer_address_length check (length(payer_address) <= 320),
  constraint uma_pay_requests_payer_data_form check (jsonb_typeof(payer_data) = 'object'),
  constraint uma_pay_requests_travel_rule_length check (octet_length(travel_rule) <= 65536),
  constraint uma_pay_requests_comment_length check (octet_length(comment) <= 1024),
  constraint uma_pay_requests_payer_network_length check (length(payer_network) <= 64)
);
create index uma_pay_requests_uma_invoice_id_idx on uma_pay_requests (uma_invoice_id);
-- Finds whether a VASP is a known counterparty.
create index uma_pay_requests_payer_domain_idx on uma_pay_requests (split_part(payer_address, '@', 2), invoice_id desc);

-- Requests for payment that other VASPs sent for our users (UMAD-11).
create table uma_requests (
  id               bigint generated always as identity primary key,
  user_id          text not null references users (id) on delete restrict on update restrict,
  receiver_address text not null,
  uuid             uuid not null,
  encoded          text not null,
  amount           bigint not null,
  currency         jsonb not null,
  -- Whether it is paid is read from the payments.
  state            text not null default 'open',
  created_at       timestamptz not null default now(),
  expires_at       timestamptz not null,
  constraint uma_requests_receiver_address_uuid_key unique (receiver_address, uuid),
  constraint uma_requests_amount_positive check (amount > 0),
  constraint uma_requests_currency_form check (jsonb_typeof(currency) = 'object'),
  constraint uma_requests_state_known check (state in ('open', 'declined'))
);
create index uma_requests_user_id_idx on uma_requests (user_id, id desc);

-- The public keys of remote VASPs as they were fetched: {signing, encryption}.
create table uma_remote_keys (
  domain     text primary key,
  document   jsonb not null,
  fetched_at timestamptz not null,
  expires_at timestamptz not null,
  constraint uma_remote_keys_domain_length check (length(domain) <= 255),
  constraint uma_remote_keys_document_form check (jsonb_typeof(document) = 'object')
);

-- Nonces of messages with a valid signature: a domain may use each once while its timestamp is in the window.
create table uma_nonces (
  domain     text not null,
  nonce      text not null,
  expires_at timestamptz not null,
  primary key (domain, nonce),
  constraint uma_nonces_nonce_length check (length(nonce) <= 64)
);
create index uma_nonces_expires_at_idx on uma_nonces (expires_at);

-- The certificates of this VASP's keys, created once so that every instance shows the same.
create table uma_certificates (
  purpose    text primary key,
  public_key text not null,
  chain_pem  text not null,
  created_at timestamptz not null default now(),
  constraint uma_certificates_purpose_known check (purpose in ('signing', 'encryption'))
);

-- Callbacks to remote VASPs after a settlement, repeated until they are delivered or given up.
create table uma_callback_outbox (
  id              bigint generated always as identity primary key,
  payment_hash    text not null,
  direction       text not null,
  url             text not null,
  amount_msats    bigint not null,
  attempts        integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  delivered_at    timestamptz,
  given_up_at     timestamptz,
  last_error      text,
  created_at      timestamptz not null default now(),
  constraint uma_callback_outbox_payment_hash_direction_key unique (payment_hash, direction),
  constraint uma_callback_outbox_direction_known check (direction in ('sent', 'received')),
  constraint uma_callback_outbox_amount_positive check (amount_msats > 0)
);
create index uma_callback_outbox_due_idx on uma_callback_outbox (next_attempt_at) where delivered_at is null and given_up_at is null;

-- Callbacks that remote VASPs sent after a settlement. They are kept and never move money.
create table uma_callback_inbox (
  id          bigint generated always as identity primary key,
  callback_id text not null,
  domain      text not null,
  body        jsonb not null,
  received_at timestamptz not null default now(),
  constraint uma_callback_inbox_callback_id_domain_key unique (callback_id, domain)
);

-- The sandbox node's own records, kept apart from the ledger so that the two can be compared ------------------------------

create table lightning_node.sends (
  -- The id under which the node was asked; asking twice sends once.
  send_id         bigint primary key,
  payment_hash    text not null,
  -- The key under which it was sent: the payee knows it under no other.
  payer           text not null,
  payee           text not null,
  -- Null when it was tracked before it was ever sent, and so refused.
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
-- For the comparison with a peer's records.
create index sends_payee_idx on lightning_node.sends (payee);

create table lightning_node.receipts (
  id           bigint generated always as identity,
  payer        text not null,
  payment_hash text not null,
  -- The payer's name for this attempt; a hash that was refused once may come again under another.
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
create index receipts_refused_idx on lightning_node.receipts (created_at) where state = 'refused';

-- What a peer reports as paid between it and us and our records do not contain, as after an older backup was restored. Nothing
-- is booked on its report alone: a person decides, and until then nothing is sent to the peer.
create table lightning_node.reconciliation_items (
  id           bigint generated always as identity primary key,
  peer         text not null,
  -- As seen from here.
  direction    text not null,
  payment_hash text not null,
  -- The payer's name for it.
  attempt      text not null,
  amount_msats bigint not null,
  found_at     timestamptz not null default now(),
  -- Who accepted it and why: then it is booked, against the suspense account.
  accepted_at  timestamptz,
  accepted_by  text,
  reason       text,
  constraint reconciliation_items_direction_known check (direction in ('sent', 'received')),
  constraint reconciliation_items_payment_hash_form check (payment_hash ~ '^[0-9a-f]{64}$'),
  constraint reconciliation_items_amount_positive check (amount_msats > 0),
  constraint reconciliation_items_accepted_whole check (
    (accepted_at is null) = (accepted_by is null) and (accepted_at is null) = (reason is null)),
  constraint reconciliation_items_accepted_by_length check (char_length(accepted_by) between 1 and 200),
  constraint reconciliation_items_reason_length check (char_length(reason) between 1 and 500)
);
create unique index reconciliation_items_payment_key on lightning_node.reconciliation_items (peer, direction, payment_hash, attempt);
create index reconciliation_items_open_idx on lightning_node.reconciliation_items (peer) where accepted_at is null;

-- Views ------------------------------------------------------------------------------------------------------------------

-- Each payment beside what the ledger moved for it: the one definition for the triggers below and for the audit. An open
-- payment holds its debit, one that succeeded took it, one that failed took nothing, and so did one from a wallet to itself.
-- The wallet of our own invoice received the amount written there, by one posting. A payment through a node gave its amount to
-- the node's account when it succeeded. No other running balance moved.
-- `offset 0` keeps each look-up on its index, also where no statistics were ever gathered.
create view payment_books as
  select p.id, p.payment_hash, p.state, p.debit, moved.available, moved.held, moved.credit,
         moved.available = case when p.state = 'failed' or p.state = 'succeeded' and p.wallet_id = i.wallet_id then 0 else -p.debit end
           and moved.held = case when p.state in ('held', 'sending') then p.debit else 0 end as payer_fits,
         moved.others = 0 and case
           when p.node_key is not null then
             -- A success that came after the refund is the house's loss; the node has the money all the same.
             moved.to_node = case when p.state = 'succeeded' or moved.losses > 0 then p.amount_msats else 0 end
           when i.id is null or p.state <> 'succeeded' then moved.credits = 0
           when i.settled_at is null or i.received_msats <> p.amount_msats then false
           when i.wallet_id = p.wallet_id then i.credited is null
           else moved.credits = 1 and moved.credit = coalesce(i.credited, 0)
         end as payee_fits
  from payments p
  left join lateral (
    select id, wallet_id, settled_at, received_msats, credited,
           (select a.id from ledger_accounts a where a.wallet_id = invoices.wallet_id and a.kind = 'available') as account_id
    from invoices where payment_hash = p.payment_hash and invoice is not distinct from p.invoice and p.node_key is null offset 0
  ) i on true
  cross join lateral (
    select (select a.id from ledger_accounts a where a.wallet_id = p.wallet_id and a.kind = 'available') as available_id,
           (select a.id from ledger_accounts a where a.wallet_id = p.wallet_id and a.kind = 'held') as held_id,
           (select a.id from ledger_accounts a where a.node_key = p.node_key) as node_account_id
    offset 0
  ) payer
  cross join lateral (
    select coalesce(sum(l.amount) filter (where l.account_id = payer.available_id), 0) as available,
           coalesce(sum(l.amount) filter (where l.account_id = payer.held_id), 0) as held,
           coalesce(sum(l.amount) filter (where l.account_id = i.account_id and l.account_id <> payer.available_id), 0) as credit,
           count(*) filter (where l.account_id = i.account_id and l.account_id <> payer.available_id) as credits,
           coalesce(sum(l.amount) filter (where l.account_id = payer.node_account_id), 0) as to_node,
           count(*) filter (where e.kind = 'loss') as losses,
           count(*) filter (where l.account_id not in (payer.available_id, payer.held_id)
                              and l.account_id is distinct from i.account_id
                              and l.account_id is distinct from payer.node_account_id) as others
    from journal_entries e
    cross join lateral (
      -- Only a posting to a user's or a node's account carries a balance.
      select account_id, amount from postings where entry_id = e.id and balance_after is not null offset 0
    ) l
    where e.payment_id = p.id
  ) moved;

-- Each incoming payment beside what the ledger moved for it. One with an invoice settled that invoice and credited its wallet,
-- by one posting; one without moved no user's money.
create view incoming_payment_books as
  select r.id, r.payment_hash, r.amount_msats, r.invoice_id, moved.credit, moved.from_node,
         moved.entries = 1
           and (r.node_key is null or moved.from_node = -r.amount_msats)
           and case
             when r.invoice_id is null then moved.user_postings = 0
             else i.settled_at is not null and i.received_msats = r.amount_msats and i.payment_hash = r.payment_hash
               and moved.user_postings = 1 and moved.credit = coalesce(i.credited, 0)
           end as fits
  from incoming_payments r
  left join lateral (
    select *, (select a.id from ledger_accounts a where a.wallet_id = invoices.wallet_id and a.kind = 'available') as account_id
    from invoices where id = r.invoice_id offset 0
  ) i on true
  cross join lateral (
    select count(distinct e.id) as entries,
           coalesce(sum(l.amount) filter (where l.account_id = i.account_id), 0) as credit,
           count(*) filter (where l.balance_after is not null and l.node_key is null) as user_postings,
           coalesce(sum(l.amount) filter (where l.node_key = r.node_key), 0) as from_node
    from journal_entries e
    cross join lateral (
      select account_id, amount, balance_after,
             (select a.node_key from ledger_accounts a where a.id = postings.account_id) as node_key
      from postings where entry_id = e.id offset 0
    ) l
    where e.incoming_payment_id = r.id
  ) moved;

-- Functions, as prisma/functions has them at this release ----------------------------------------------------------------

create or replace function append_only() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'LG005';
end $$;

-- Books a keysend for one of our users: its invoice, the incoming payment and the credit. `known` when the hash was used before.
create or replace function book_incoming_keysend(
  paid_hash text, sent_preimage text, from_node text, msats bigint, payee text, to_wallet bigint, memo text, shown_metadata jsonb,
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
  insert into incoming_payments (payment_hash, node_key, amount_msats, invoice_id) values (paid_hash, from_node, msats, invoice_id)
    returning id into new_id;
  perform post_entry('receive', 'receive:' || paid_hash, account_ids, amounts, null, new_id);
  return 'credited';
end $$;

-- Books what the node has received, each hash once. When the invoice is still open its wallet is credited by the given lines:
-- `credited`. Otherwise nothing is moved and the outcome says why: known | settled | unknown | amount (less than the invoice
-- asks for). The invoice's row lock decides between this and a payment inside this VASP.
create or replace function book_incoming_payment(
  paid_hash text, from_node text, msats bigint, credited_amount bigint, account_ids bigint[], amounts bigint[]
) returns text language plpgsql as $$
declare
  bill invoices%rowtype;
  new_id bigint;
begin
  select * into bill from invoices where invoices.payment_hash = paid_hash for update;
  if exists (select from incoming_payments where incoming_payments.payment_hash = paid_hash) then
    return 'known';
  elsif bill.id is null then
    return 'unknown';
  elsif bill.settled_at is not null then
    return 'settled';
  elsif msats < bill.amount_msats then
    return 'amount';
  end if;
  insert into incoming_payments (payment_hash, node_key, amount_msats, invoice_id) values (paid_hash, from_node, msats, bill.id)
    returning id into new_id;
  perform post_entry('receive', 'receive:' || paid_hash, account_ids, amounts, null, new_id);
  update invoices set settled_at = now(), received_msats = msats, credited = credited_amount where id = bill.id;
  return 'credited';
end $$;

-- The quote that a key stands for: the given one for a new key, or when the earlier quote expired without being paid. No row when
-- the key was used for another request.
create or replace function claim_address_payment_key(through_connection text, client_key text, fingerprint text, quote_hash text)
  returns table (paid_hash text) language plpgsql as $$
declare
  kept address_payment_keys%rowtype;
begin
  insert into address_payment_keys (connection_id, idempotency_key, request_fingerprint, payment_hash)
    values (through_connection, client_key, fingerprint, quote_hash) on conflict do nothing;
  select * into kept from address_payment_keys where connection_id = through_connection and idempotency_key = client_key for update;
  if kept.request_fingerprint <> fingerprint then
    return;
  end if;
  -- A payment of the quote locks its payer's row, or its invoice's when the receiver is ours. A payment in progress is waited
  -- for, and one that comes later finds the quote expired.
  perform 1 from users where id = (select user_id from quotes where payment_hash = kept.payment_hash) for no key update;
  perform 1 from invoices where payment_hash = kept.payment_hash for update;
  if exists (select from quotes where payment_hash = kept.payment_hash and expires_at <= clock_timestamp())
     and not exists (select from payments where payment_hash = kept.payment_hash and state <> 'failed') then
    update address_payment_keys set payment_hash = quote_hash, created_at = now()
      where connection_id = through_connection and idempotency_key = client_key;
    kept.payment_hash := quote_hash;
  end if;
  paid_hash := kept.payment_hash;
  return next;
end $$;

create or replace function connections_delete_guard() returns trigger language plpgsql as $$
begin
  raise exception 'connections are never deleted' using errcode = 'CN003';
end $$;

-- What a token may do is fixed when it is issued, and a revocation is final: no later statement can widen a token.
create or replace function connections_immutable() returns trigger language plpgsql as $$
begin
  if (new.id, new.user_id, new.login_grant_id, new.permissions, new.created_at)
     is distinct from (old.id, old.user_id, old.login_grant_id, old.permissions, old.created_at)
     or new.expires_at is distinct from old.expires_at then
    raise exception 'the terms of a connection never change' using errcode = 'CN001';
  end if;
  if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
    raise exception 'a revoked connection stays revoked' using errcode = 'CN002';
  end if;
  return new;
end $$;

-- Stores an invoice that was requested over UMA or LNURL, with its request. When it pays a UMA invoice (UMAD-09), requests
-- queue at that row, so the count below is true: settled and open invoices count. An unpaid earlier invoice of the same payer
-- expires now and frees its place; one that is being settled at this moment is waited for, and counts.
-- `outcome`: created | expired (the UMA invoice) | full (it is paid, or being paid, as often as allowed).
create or replace function create_requested_invoice(
  new_hash text, new_preimage text, new_invoice text, payee text, to_wallet bigint, msats bigint, memo text, memo_hash text,
  creation timestamptz, expiry timestamptz, promised_credit bigint, snapshot text,
  used_protocol text, receiver text, payer text, payer_fields jsonb, encrypted_travel_rule bytea, payer_comment text,
  for_uma_invoice bigint, own_callback text, remote_callback text, from_network text, fee_msats bigint
) returns text language plpgsql as $$
declare
  uma_invoice uma_invoices%rowtype;
  moment timestamptz;
  new_id bigint;
begin
  if for_uma_invoice is not null then
    select * into uma_invoice from uma_invoices where id = for_uma_invoice for no key update;
    moment := clock_timestamp();
    update invoices set expires_at = moment from uma_pay_requests request
      where request.uma_invoice_id = for_uma_invoice and request.payer_address = payer and invoices.id = request.invoice_id
        and invoices.settled_at is null and invoices.expires_at > moment;
    if uma_invoice.expires_at <= moment then
      return 'expired';
    end if;
    -- A payment that found its invoice open may commit after the invoice expired: no statement takes longer than five seconds.
    perform 1 from invoices i join uma_pay_requests request on request.invoice_id = i.id
      where request.uma_invoice_id = for_uma_invoice and i.settled_at is null and i.expires_at > moment - interval '10 seconds'
      order by i.id for update of i;
    if (select count(*) from uma_pay_requests request join invoices i on i.id = request.invoice_id
        where request.uma_invoice_id = for_uma_invoice and (i.settled_at is not null or i.expires_at > moment)) >= uma_invoice.max_payments then
      return 'full';
    end if;
  end if;
  insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, description, description_hash,
                        created_at, expires_at, fixed_credit, rate_snapshot_id, vasp_fee_msats)
    values (new_hash, new_preimage, new_invoice, payee, to_wallet, msats, memo, memo_hash, creation,
            -- Null where no UMA invoice is paid; `least` ignores nulls.
            least(expiry, uma_invoice.expires_at), promised_credit, snapshot, fee_msats)
    returning id into new_id;
  insert into uma_pay_requests (invoice_id, protocol, receiver_address, payer_address, payer_data, travel_rule, comment,
                                uma_invoice_id, callback_id, remote_callback_url, payer_network)
    values (new_id, used_protocol, receiver, payer, payer_fields, encrypted_travel_rule, payer_comment, for_uma_invoice,
            own_callback, remote_callback, from_network);
  return 'created';
end $$;

create or replace function entries_match_incoming_payment() returns trigger language plpgsql as $$
begin
  perform incoming_payment_must_be_posted(new.incoming_payment_id);
  return null;
end $$;

create or replace function entries_match_payment() returns trigger language plpgsql as $$
begin
  perform payment_must_be_posted(new.payment_id);
  return null;
end $$;

-- Gives up a payment that the node will never make, and returns the hold. `failed` the first time, `already` afterwards,
-- `succeeded` when it was settled before.
create or replace function fail_payment(failed_id bigint, reason text) returns text language plpgsql as $$
declare
  payment payments%rowtype;
begin
  select * into payment from payments where id = failed_id for update;
  if payment.state = 'failed' then
    return 'already';
  elsif payment.state = 'succeeded' then
    return 'succeeded';
  end if;
  update payments set state = 'failed', failure = reason, lease_owner = null, lease_expires_at = null where id = failed_id;
  perform post_entry('release', 'release:' || failed_id, array[a.id, h.id], array[payment.debit, -payment.debit], failed_id)
    from ledger_accounts a, ledger_accounts h
    where a.wallet_id = payment.wallet_id and a.kind = 'available' and h.wallet_id = payment.wallet_id and h.kind = 'held';
  if payment.notify_on_completion then
    perform pg_notify('payment_ended', failed_id::text);
  end if;
  return 'failed';
end $$;

-- Reserves a wallet's money for an outgoing payment. `outcome`: held (the payment is new, and `worker` acts on it) | known (the
-- hash has an open or successful payment, or the Idempotency-Key was used: the caller looks that payment up) | wrapped (the hash
-- is that of an invoice of ours, in another invoice) | expired | many (the user has `max_open` open payments already).
create or replace function hold_payment(
  paid_hash text, paid_invoice text, payer text, through_connection text, from_wallet bigint, paid_quote bigint, to_node text,
  to_payee text, msats bigint, fee_limit bigint, held_debit bigint, snapshot text, memo text, memo_hash text, expiry timestamptz,
  own_preimage text, shown_metadata jsonb, client_key text, max_open integer, worker text, lease interval
) returns table (outcome text, payment_id bigint) language plpgsql as $$
begin
  -- Copies and other payments of one user queue here, so the count below is true.
  perform 1 from users where id = payer for no key update;
  select id into payment_id from payments
    where payments.payment_hash = paid_hash and state <> 'failed' or user_id = payer and connection_id is not distinct from through_connection and idempotency_key = client_key and state <> 'failed'
    order by id limit 1;
  if found then
    outcome := 'known';
    return next;
    return;
  end if;
  if exists (select from invoices where invoices.payment_hash = paid_hash) then
    outcome := 'wrapped';
  elsif expiry <= clock_timestamp() then
    outcome := 'expired';
  elsif (select count(*) from payments where user_id = payer and state in ('held', 'sending')) >= max_open then
    outcome := 'many';
  else
    insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, quote_id, node_key, payee_key, amount_msats,
                          fee_limit_msats, debit, rate_snapshot_id, description, description_hash, expires_at, keysend_preimage,
                          metadata, idempotency_key, state, lease_owner, lease_expires_at)
      values (paid_hash, paid_invoice, payer, through_connection, from_wallet, paid_quote, to_node, to_payee, msats, fee_limit,
              held_debit, snapshot, memo, memo_hash, expiry, own_preimage, shown_metadata, client_key, 'held', worker, now() + lease)
      -- Another user may have taken the hash since it was looked up.
      on conflict (payment_hash) where state <> 'failed' do nothing
      returning id into payment_id;
    if payment_id is null then
      outcome := 'known';
      select id into payment_id from payments where payments.payment_hash = paid_hash and state <> 'failed';
    else
      perform post_entry('hold', 'hold:' || payment_id, array[a.id, h.id], array[-held_debit, held_debit], payment_id)
        from ledger_accounts a, ledger_accounts h
        where a.wallet_id = from_wallet and a.kind = 'available' and h.wallet_id = from_wallet and h.kind = 'held';
      outcome := 'held';
    end if;
  end if;
  return next;
end $$;

create or replace function incoming_payment_must_be_posted(checked_id bigint) returns void language plpgsql as $$
begin
  if (select fits from incoming_payment_books where id = checked_id) is not true then
    raise exception 'incoming payment % is not what the ledger moved for it', checked_id using errcode = 'PY007';
  end if;
end $$;

create or replace function incoming_payments_match_ledger() returns trigger language plpgsql as $$
begin
  perform incoming_payment_must_be_posted(new.id);
  return null;
end $$;

-- Any client can request an invoice over LNURL without a signature. A day after its expiry it can no longer be paid, and no
-- delayed request asks for it: if it was not paid it may be deleted, together with its request. Every other invoice stays.
create or replace function invoices_delete_guard() returns trigger language plpgsql as $$
begin
  if old.settled_at is not null or old.fixed_credit is null or old.expires_at > now() - interval '1 day'
     or not exists (select from uma_pay_requests where invoice_id = old.id and protocol = 'lnurl')
     or exists (select from payments where payment_hash = old.payment_hash)
     or exists (select from quotes where payment_hash = old.payment_hash)
     or exists (select from incoming_payments where payment_hash = old.payment_hash)
     or exists (select from lightning_node.receipts where payment_hash = old.payment_hash and state = 'received') then
    raise exception 'only an unpaid invoice of an unsigned request may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;

-- An invoice is settled by a payment inside this VASP or by an incoming payment, with exactly what that one sent.
create or replace function invoices_settled_by_payment() returns trigger language plpgsql as $$
declare
  paid_by bigint;
begin
  select p.id into paid_by from payments p
    where p.payment_hash = new.payment_hash and p.invoice is not distinct from new.invoice and p.node_key is null
      and p.state = 'succeeded' and p.amount_msats = new.received_msats;
  if paid_by is not null then
    -- When the payment has posted in this transaction, its entry runs the same check.
    if not exists (select from journal_entries where payment_id = paid_by and xmin = pg_current_xact_id()::xid) then
      perform payment_must_be_posted(paid_by);
    end if;
    return null;
  end if;
  select r.id into paid_by from incoming_payments r where r.invoice_id = new.id;
  if paid_by is null then
    raise exception 'invoice % is settled without a payment', new.id using errcode = 'PY004';
  end if;
  perform incoming_payment_must_be_posted(paid_by);
  return null;
end $$;

-- Compared inside a function: a trigger's condition is parsed again for each statement, a function keeps its plan.
create or replace function invoices_terms_immutable() returns trigger language plpgsql as $$
begin
  if (new.id, new.payment_hash, new.preimage, new.invoice, new.user_id, new.wallet_id, new.amount_msats, new.description,
      new.description_hash, new.fixed_credit, new.rate_snapshot_id, new.vasp_fee_msats)
     is distinct from
     (old.id, old.payment_hash, old.preimage, old.invoice, old.user_id, old.wallet_id, old.amount_msats, old.description,
      old.description_hash, old.fixed_credit, old.rate_snapshot_id, old.vasp_fee_msats) then
    raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
  end if;
  return new;
end $$;

-- Counts instead of `exists`: for `exists` the planner expects an early row in a small table, scans the table, and keeps that
-- plan while the table grows, until the table is analyzed, which the embedded database never does.
create or replace function journal_entries_have_postings() returns trigger language plpgsql as $$
begin
  if (select count(*) from postings where entry_id = new.id) = 0 then
    raise exception 'entry % has no postings', new.id using errcode = 'LG001';
  end if;
  return null;
end $$;

-- No statement sets a balance: an update that does not come from the trigger of postings is refused.
create or replace function ledger_accounts_immutable() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2
     or (new.id, new.kind, new.currency_code, new.wallet_id, new.node_key)
        is distinct from (old.id, old.kind, old.currency_code, old.wallet_id, old.node_key) then
    raise exception 'ledger accounts change through postings only' using errcode = 'LG003';
  end if;
  return new;
end $$;

create or replace function ledger_accounts_start_empty() returns trigger language plpgsql as $$
begin
  if new.balance <> 0 then
    raise exception 'ledger accounts start empty' using errcode = 'LG003';
  end if;
  return new;
end $$;

-- Books what a peer has reported, up to one item, once a person accepts it. The peer's account then shows what the peer's records
-- show; the other side is `suspense`, until a person resolves it. Returns what was booked now.
create or replace function lightning_node.accept_reconciliation_items(from_peer text, up_to bigint, operator text, given_reason text)
  returns table (id bigint, direction text, amount_msats bigint) language plpgsql as $$
declare
  item lightning_node.reconciliation_items%rowtype;
begin
  for item in select * from lightning_node.reconciliation_items i
    where i.peer = from_peer and i.id <= up_to and i.accepted_at is null order by i.id for update
  loop
    update lightning_node.reconciliation_items i set accepted_at = now(), accepted_by = operator, reason = given_reason where i.id = item.id;
    perform post_entry('reconciliation', 'reconciliation:' || item.id, array[p.id, s.id],
        case item.direction when 'sent' then array[item.amount_msats, -item.amount_msats] else array[-item.amount_msats, item.amount_msats] end)
      from ledger_accounts p, ledger_accounts s
      where p.node_key = item.peer and s.kind = 'suspense' and s.currency_code = 'SAT';
    if not found then
      raise exception 'there is no account for the peer of %', item.id using errcode = 'LG006';
    end if;
    id := item.id;
    direction := item.direction;
    amount_msats := item.amount_msats;
    return next;
  end loop;
end $$;

-- The node's stored answer to an attempt; `failure` says why it was refused. An answer never changes.
create or replace function lightning_node.answer_of(asking_payer text, asked_hash text, asked_attempt text)
  returns table (state text, preimage text, failure text, amount_msats bigint) language sql as $$
  select r.state, r.preimage, r.failure, r.amount_msats from lightning_node.receipts r
  where r.payer = asking_payer and r.payment_hash = asked_hash and r.attempt = asked_attempt
$$;

-- A refusal is for a delayed call, and a call older than minutes is refused by its signature and its deadline. After a day a
-- refusal may be deleted; what was received stays.
create or replace function lightning_node.receipts_delete_guard() returns trigger language plpgsql as $$
begin
  if old.state <> 'refused' or old.created_at > now() - interval '1 day' then
    raise exception 'only a refusal older than a day may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;

-- Receives a payment: the node's row, the incoming payment and the credit in one transaction, or a refusal. A keysend brings its
-- preimage, and its invoice is created here. `max_owed`: how much the peer may owe us after this, in msats.
-- It raises LN001 (over that limit), LN002 or a unique violation (the hash was used, here or by another attempt that came first).
-- Then nothing is kept, and the caller refuses: caught in here the error would end a subtransaction, in which no entry can be
-- posted (`postings_join_new_entries`).
create or replace function lightning_node.receive(
  from_payer text, paid_hash text, this_attempt text, msats bigint, deadline timestamptz, max_owed bigint,
  sent_preimage text, payee text, to_wallet bigint, memo text, shown_metadata jsonb,
  credited_amount bigint, account_ids bigint[], amounts bigint[]
) returns table (state text, preimage text, failure text, amount_msats bigint) language plpgsql as $$
declare
  bill invoices%rowtype;
  reason text;
  booked text;
begin
  return query select * from lightning_node.answer_of(from_payer, paid_hash, this_attempt);
  if found then
    return;
  end if;
  if sent_preimage is null then
    select * into bill from invoices where invoices.payment_hash = paid_hash for update;
  end if;
  reason := case
    when deadline <= clock_timestamp() then 'late'
    when sent_preimage is null and (bill.id is null or bill.invoice is null) then 'unknown'
    when bill.settled_at is not null then 'paid'
    when bill.expires_at <= clock_timestamp() then 'expired'
    -- A payer may send a little more, never twice as much (BOLT 4).
    when msats < bill.amount_msats or msats > 2 * bill.amount_msats then 'amount'
  end;
  if reason is not null then
    return query select * from lightning_node.refuse(from_payer, paid_hash, this_attempt, reason);
    return;
  end if;
  insert into lightning_node.receipts (payer, payment_hash, attempt, state, amount_msats, preimage)
    values (from_payer, paid_hash, this_attempt, 'received', msats, coalesce(sent_preimage, bill.preimage));
  if sent_preimage is null then
    booked := book_incoming_payment(paid_hash, from_payer, msats, credited_amount, account_ids, amounts);
  else
    booked := book_incoming_keysend(paid_hash, sent_preimage, from_payer, msats, payee, to_wallet, memo, shown_metadata,
                                    credited_amount, account_ids, amounts);
  end if;
  if booked <> 'credited' then
    raise exception 'the hash was used' using errcode = 'LN002';
  end if;
  if (select balance from ledger_accounts where node_key = from_payer) < -max_owed then
    raise exception 'over the limit of this peer' using errcode = 'LN001';
  end if;
  return query select * from lightning_node.answer_of(from_payer, paid_hash, this_attempt);
end $$;

create or replace function lightning_node.reconciliation_items_immutable() returns trigger language plpgsql as $$
begin
  if old.accepted_at is not null
     or (new.id, new.peer, new.direction, new.payment_hash, new.attempt, new.amount_msats, new.found_at)
        is distinct from (old.id, old.peer, old.direction, old.payment_hash, old.attempt, old.amount_msats, old.found_at) then
    raise exception 'a reconciliation item never changes' using errcode = 'LG005';
  end if;
  return new;
end $$;

-- Refuses this attempt for good, unless it was received before: the final answer for an attempt that never arrived.
create or replace function lightning_node.refuse(asking_payer text, asked_hash text, asked_attempt text, reason text)
  returns table (state text, preimage text, failure text, amount_msats bigint) language plpgsql as $$
begin
  insert into lightning_node.receipts (payer, payment_hash, attempt, state, failure)
    values (asking_payer, asked_hash, asked_attempt, 'refused', reason)
    on conflict do nothing;
  return query select * from lightning_node.answer_of(asking_payer, asked_hash, asked_attempt);
end $$;

create or replace function login_grants_immutable() returns trigger language plpgsql as $$
begin
  raise exception 'a closed login stays closed' using errcode = 'LG001';
end $$;

-- Called at the end of the transaction, also for an entry that is added to a finished payment later.
create or replace function payment_must_be_posted(checked_payment_id bigint) returns void language plpgsql as $$
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

create or replace function payment_write_offs_immutable() returns trigger language plpgsql as $$
begin
  if old.resolved_at is not null
     or (new.payment_id, new.written_off_by, new.reason, new.written_off_at)
        is distinct from (old.payment_id, old.written_off_by, old.reason, old.written_off_at) then
    raise exception 'a write-off never changes' using errcode = 'LG005';
  end if;
  return new;
end $$;

create or replace function payments_match_ledger() returns trigger language plpgsql as $$
begin
  -- The entries of a new payment come after it, and each checks by itself.
  if tg_op = 'INSERT' and exists (select from journal_entries where payment_id = new.id) then
    return null;
  end if;
  perform payment_must_be_posted(new.id);
  return null;
end $$;

-- held -> sending -> succeeded or failed, and held -> failed.
create or replace function payments_state_transition() returns trigger language plpgsql as $$
begin
  if (old.state, new.state) not in
     (values ('held', 'sending'), ('held', 'failed'), ('sending', 'succeeded'), ('sending', 'failed')) then
    raise exception 'a payment does not go from % to %', old.state, new.state using errcode = 'PY002';
  end if;
  return new;
end $$;

-- Compared inside a function: a trigger's condition is parsed again for each statement, a function keeps its plan.
create or replace function payments_terms_immutable() returns trigger language plpgsql as $$
begin
  if (new.id, new.payment_hash, new.invoice, new.user_id, new.connection_id, new.wallet_id, new.quote_id, new.amount_msats,
      new.rate_snapshot_id, new.description, new.description_hash, new.created_at, new.expires_at, new.node_key, new.payee_key,
      new.fee_limit_msats, new.keysend_preimage, new.metadata, new.idempotency_key)
     is distinct from
     (old.id, old.payment_hash, old.invoice, old.user_id, old.connection_id, old.wallet_id, old.quote_id, old.amount_msats,
      old.rate_snapshot_id, old.description, old.description_hash, old.created_at, old.expires_at, old.node_key, old.payee_key,
      old.fee_limit_msats, old.keysend_preimage, old.metadata, old.idempotency_key)
     -- Only in the step to success may the debit be less than was held: the unused part of the fee limit goes back.
     or new.debit > old.debit or (new.debit < old.debit and new.state <> 'succeeded') then
    raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
  end if;
  return new;
end $$;

-- Posts one entry. `replayed` is true when the key was used before with the same content; other content is LG002.
-- User and node accounts are locked in the order of their ids before anything is written, so two entries never wait for each
-- other in a circle.
create or replace function post_entry(
  entry_kind text, entry_key text, account_ids bigint[], amounts bigint[],
  for_payment bigint default null, for_incoming_payment bigint default null
) returns table (entry_id bigint, replayed boolean) language plpgsql as $$
declare
  entry_hash text;
  known record;
  posted bigint;
begin
  select coalesce(encode(sha256(convert_to(string_agg(account_id || ':' || amount, ',' order by account_id, amount), 'UTF8')), 'hex'), '')
    into entry_hash
    from unnest(account_ids, amounts) as line (account_id, amount);
  insert into journal_entries (kind, idempotency_key, content_hash, payment_id, incoming_payment_id)
    values (entry_kind, entry_key, entry_hash, for_payment, for_incoming_payment)
    on conflict (idempotency_key) do nothing
    returning id into entry_id;
  if entry_id is null then
    select id, kind, content_hash, payment_id, incoming_payment_id into known from journal_entries where idempotency_key = entry_key;
    if (known.content_hash, known.kind, known.payment_id, known.incoming_payment_id)
       is distinct from (entry_hash, entry_kind, for_payment, for_incoming_payment) then
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
    raise exception 'entry % names an account that does not exist', entry_key using errcode = 'LG006';
  end if;
  replayed := false;
  return next;
end $$;

-- An entry is complete when its transaction ends: nothing is added to it later.
create or replace function postings_join_new_entries() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from journal_entries where id = new.entry_id and xmin = pg_current_xact_id()::xid) then
    raise exception 'entry % is closed', new.entry_id using errcode = 'LG004';
  end if;
  return new;
end $$;

-- At the end of the transaction the postings of an entry sum to zero in each currency. The last posting of the entry checks.
create or replace function postings_sum_to_zero() returns trigger language plpgsql as $$
begin
  if not exists (select from postings where entry_id = new.entry_id and id > new.id) then
    if exists (select from postings where entry_id = new.entry_id group by currency_code having sum(amount) <> 0) then
      raise exception 'the postings of entry % do not sum to zero', new.entry_id using errcode = 'LG001';
    end if;
  end if;
  return null;
end $$;

-- The running balance follows the postings. The update takes the account's row lock, and the check on the balance refuses an
-- overdraft whatever else runs at the same instant. The id is drawn under that lock, so the order of the ids is the order of
-- the balances.
create or replace function postings_update_balance() returns trigger language plpgsql as $$
declare
  moved ledger_accounts%rowtype;
begin
  update ledger_accounts set balance = balance + new.amount where id = new.account_id and balance is not null
    returning * into moved;
  new.balance_after := moved.balance;
  new.id := nextval('postings_id_seq');
  -- Two conditions instead of one: the common posting does not prepare the query inside.
  if moved.kind = 'held' then
    if not exists (select from journal_entries e join payments p on p.id = e.payment_id
                   where e.id = new.entry_id and p.wallet_id = moved.wallet_id) then
      raise exception 'what is held is held for a payment from that wallet' using errcode = 'LG007';
    end if;
  end if;
  return new;
end $$;

-- Moves test money from the faucet to a wallet. False, and nothing moved, when the wallet would then hold more than `maximum`:
-- decided under the locks of the wallet's accounts, so pulls at the same instant do not pass the limit together. A repeated
-- key is true, however full the wallet is by now.
create or replace function pull_faucet(entry_key text, funded_wallet bigint, amount bigint, maximum bigint)
  returns boolean language plpgsql as $$
declare
  target ledger_accounts%rowtype;
begin
  perform 1 from ledger_accounts where wallet_id = funded_wallet order by id for update;
  if not exists (select 1 from journal_entries where idempotency_key = entry_key)
     and (select sum(balance) from ledger_accounts where wallet_id = funded_wallet) + amount > maximum then
    return false;
  end if;
  select * into target from ledger_accounts where wallet_id = funded_wallet and kind = 'available';
  perform post_entry('faucet', entry_key, array[faucet.id, target.id], array[-amount, amount])
    from ledger_accounts faucet where faucet.kind = 'faucet' and faucet.currency_code = target.currency_code;
  return true;
end $$;

-- Pays a keysend from one of our users to another: both rows and the money in one transaction. `paid`, or `taken` when the hash
-- or the key was used before.
create or replace function settle_internal_keysend(
  own_preimage text, payer text, through_connection text, from_wallet bigint, payee text, to_wallet bigint, msats bigint,
  debited bigint, credited_amount bigint, snapshot text, memo text, shown_metadata jsonb, client_key text,
  account_ids bigint[], amounts bigint[]
) returns text language plpgsql as $$
declare
  paid_hash text := encode(sha256(decode(own_preimage, 'hex')), 'hex');
  new_id bigint;
begin
  perform 1 from users where id = payer for no key update;
  -- The caller looks up whatever was requested before, under this key or with this hash.
  if exists (select from payments where payment_hash = paid_hash and state <> 'failed'
             or user_id = payer and connection_id is not distinct from through_connection and idempotency_key = client_key and state <> 'failed') then
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
    -- An outgoing payment uses the hash: nothing of this is kept.
    raise exception 'the hash was used' using errcode = 'PY008';
  end if;
  if cardinality(account_ids) > 0 then
    perform post_entry('payment', 'payment:' || new_id, account_ids, amounts, new_id);
  end if;
  return 'paid';
end $$;

-- Pays an invoice of this VASP from a wallet of this VASP: one transaction, no node. The invoice's row lock queues copies of
-- one payment; the first moves the money, the others find it done.
-- `outcome`: paid | repeated (this user has paid it before) | taken (another user has) | unknown | expired | amount.
create or replace function settle_internal_payment(
  paid_hash text, paid_invoice text, payer text, through_connection text, from_wallet bigint, paid_quote bigint, msats bigint,
  debited bigint, snapshot text, account_ids bigint[], amounts bigint[]
) returns table (outcome text, preimage text) language plpgsql as $$
declare
  bill invoices%rowtype;
  earlier payments%rowtype;
  new_id bigint;
  credited_account bigint;
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
    insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, quote_id, amount_msats, debit, rate_snapshot_id,
                          description, description_hash, state, preimage, expires_at, settled_at)
      values (paid_hash, paid_invoice, payer, through_connection, from_wallet, paid_quote, msats, debited, snapshot,
              bill.description, bill.description_hash, 'succeeded', bill.preimage, bill.expires_at, now())
      returning id into new_id;
    -- A payment from a wallet to itself moves nothing.
    if cardinality(account_ids) > 0 then
      perform post_entry('payment', 'payment:' || new_id, account_ids, amounts, new_id);
      select id into credited_account from ledger_accounts
        where wallet_id = bill.wallet_id and kind = 'available';
    end if;
    update invoices
      set settled_at = now(), received_msats = msats, credited = amounts[array_position(account_ids, credited_account)]
      where id = bill.id;
    outcome := 'paid';
    preimage := bill.preimage;
  end if;
  return next;
end $$;

-- Ends a payment that the node has made. The lines say where its debit goes; the hold that they come from, and its unused part
-- that goes back, are added here. `settled` the first time, `already` afterwards, `failed` when it was given up before: then
-- nothing is moved here.
create or replace function settle_payment(
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
  update payments set state = 'succeeded', preimage = proof, network_fee_msats = fee, debit = final_debit, settled_at = now(),
                      lease_owner = null, lease_expires_at = null
    where id = settled_id;
  perform post_entry('settle', 'settle:' || settled_id,
      account_ids || h.id || case when back > 0 then array[a.id] else array[]::bigint[] end,
      amounts || -payment.debit || case when back > 0 then array[back] else array[]::bigint[] end, settled_id)
    from ledger_accounts a, ledger_accounts h
    where a.wallet_id = payment.wallet_id and a.kind = 'available' and h.wallet_id = payment.wallet_id and h.kind = 'held';
  if payment.notify_on_completion then
    perform pg_notify('payment_ended', settled_id::text);
  end if;
  return 'settled';
end $$;

create or replace function settled_rows_immutable() returns trigger language plpgsql as $$
begin
  raise exception 'a settled row of % never changes', tg_table_name using errcode = 'PY001';
end $$;

-- Books an incoming payment that has no open invoice to the suspense account, where a person resolves it. False when it was
-- booked before.
create or replace function suspend_incoming_payment(paid_hash text, from_node text, msats bigint, account_ids bigint[], amounts bigint[])
  returns boolean language plpgsql as $$
declare
  new_id bigint;
begin
  insert into incoming_payments (payment_hash, node_key, amount_msats) values (paid_hash, from_node, msats)
    on conflict (payment_hash) do nothing
    returning id into new_id;
  if new_id is null then
    return false;
  end if;
  perform post_entry('receive', 'receive:' || paid_hash, account_ids, amounts, null, new_id);
  return true;
end $$;

create or replace function terms_immutable() returns trigger language plpgsql as $$
begin
  raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
end $$;

create or replace function wallets_immutable() returns trigger language plpgsql as $$
begin
  if (new.id, new.user_id, new.currency_code) is distinct from (old.id, old.user_id, old.currency_code) then
    raise exception 'a wallet keeps its owner and its currency' using errcode = 'LG003';
  end if;
  return new;
end $$;

-- Every wallet has its two accounts from the moment it exists.
create or replace function wallets_open_accounts() returns trigger language plpgsql as $$
begin
  insert into ledger_accounts (kind, currency_code, wallet_id, balance)
    values ('available', new.currency_code, new.id, 0), ('held', new.currency_code, new.id, 0);
  return null;
end $$;

-- Gives up the payment of a hash to a node that is no longer a peer. `failed`: its hold was returned | unknown: no payment
-- through a node has this hash | ended: it has ended before | peer: its node is a peer and can still be asked | leased: a worker
-- acts on it.
create or replace function write_off_payment(paid_hash text, present_peers text[], operator text, given_reason text)
  returns table (outcome text, payment_id bigint) language plpgsql as $$
declare
  payment payments%rowtype;
begin
  -- The open one; of those that have ended, any.
  select * into payment from payments
    where payments.payment_hash = paid_hash and node_key is not null
    order by state in ('held', 'sending') desc, id desc limit 1 for update;
  payment_id := payment.id;
  outcome := case
    when payment.id is null then 'unknown'
    when payment.state in ('succeeded', 'failed') then 'ended'
    when payment.node_key = any (present_peers) then 'peer'
    -- `nobody`: no worker acts on it between two questions to the node.
    when payment.lease_owner <> 'nobody' and payment.lease_expires_at > clock_timestamp() then 'leased'
    else 'failed'
  end;
  if outcome = 'failed' then
    insert into payment_write_offs (payment_id, written_off_by, reason) values (payment.id, operator, given_reason);
    perform fail_payment(payment.id, 'gone');
  end if;
  return next;
end $$;

-- Triggers ---------------------------------------------------------------------------------------------------------------

create trigger connections_immutable before update on connections for each row execute function connections_immutable();
create trigger connections_delete_guard before delete or truncate on connections
  for each statement execute function connections_delete_guard();
create trigger login_grants_immutable before update on login_grants
  for each row when (old.closed_at is not null and new.closed_at is distinct from old.closed_at)
  execute function login_grants_immutable();

create trigger wallets_open_accounts after insert on wallets for each row execute function wallets_open_accounts();
create trigger wallets_immutable before update on wallets for each row execute function wallets_immutable();

create trigger ledger_accounts_immutable before update on ledger_accounts
  for each row execute function ledger_accounts_immutable();
create trigger ledger_accounts_start_empty before insert on ledger_accounts
  for each row execute function ledger_accounts_start_empty();
create trigger ledger_accounts_append_only before delete or truncate on ledger_accounts
  for each statement execute function append_only();

create trigger postings_update_balance before insert on postings for each row execute function postings_update_balance();
create trigger postings_join_new_entries before insert on postings
  for each row execute function postings_join_new_entries();
create constraint trigger journal_entries_have_postings after insert on journal_entries
  deferrable initially deferred for each row execute function journal_entries_have_postings();
create constraint trigger postings_sum_to_zero after insert on postings
  deferrable initially deferred for each row execute function postings_sum_to_zero();
create trigger journal_entries_append_only before update or delete or truncate on journal_entries
  for each statement execute function append_only();
create trigger postings_append_only before update or delete or truncate on postings
  for each statement execute function append_only();
create trigger rate_snapshots_append_only before update or delete or truncate on rate_snapshots
  for each statement execute function append_only();

create trigger invoices_terms_immutable before update on invoices for each row execute function invoices_terms_immutable();
create trigger invoices_settled_immutable before update on invoices
  for each row when (old.settled_at is not null) execute function settled_rows_immutable();
create trigger invoices_delete_guard before delete on invoices for each row execute function invoices_delete_guard();
create trigger invoices_truncate_guard before truncate on invoices for each statement execute function append_only();
create constraint trigger invoices_settled_by_payment after insert or update on invoices
  deferrable initially deferred for each row when (new.settled_at is not null)
  execute function invoices_settled_by_payment();

create trigger quotes_immutable before update on quotes for each row execute function terms_immutable();

create trigger payments_terms_immutable before update on payments for each row execute function payments_terms_immutable();
create trigger payments_settled_immutable before update on payments
  for each row when (old.state in ('succeeded', 'failed')) execute function settled_rows_immutable();
create trigger payments_state_transition before update on payments
  for each row when (new.state <> old.state) execute function payments_state_transition();
create trigger payments_append_only before delete or truncate on payments for each statement execute function append_only();
create constraint trigger payments_match_ledger after insert on payments
  deferrable initially deferred for each row execute function payments_match_ledger();
create constraint trigger payments_end_matches_ledger after update on payments
  deferrable initially deferred for each row when (new.state <> old.state and new.state in ('succeeded', 'failed'))
  execute function payments_match_ledger();
create constraint trigger entries_match_payment after insert on journal_entries
  deferrable initially deferred for each row when (new.payment_id is not null) execute function entries_match_payment();

create trigger incoming_payments_append_only before update or delete or truncate on incoming_payments
  for each statement execute function append_only();
create constraint trigger incoming_payments_match_ledger after insert on incoming_payments
  deferrable initially deferred for each row execute function incoming_payments_match_ledger();
create constraint trigger entries_match_incoming_payment after insert on journal_entries
  deferrable initially deferred for each row when (new.incoming_payment_id is not null)
  execute function entries_match_incoming_payment();

create trigger loss_acknowledgements_append_only before update or delete or truncate on loss_acknowledgements
  for each statement execute function append_only();
create trigger payment_write_offs_immutable before update on payment_write_offs
  for each row execute function payment_write_offs_immutable();
create trigger payment_write_offs_append_only before delete or truncate on payment_write_offs
  for each statement execute function append_only();

create trigger sends_settled_immutable before update on lightning_node.sends
  for each row when (old.state <> 'in_flight') execute function settled_rows_immutable();
create trigger receipts_append_only before update or truncate on lightning_node.receipts
  for each statement execute function append_only();
create trigger receipts_delete_guard before delete on lightning_node.receipts
  for each row execute function lightning_node.receipts_delete_guard();
create trigger reconciliation_items_immutable before update on lightning_node.reconciliation_items
  for each row execute function lightning_node.reconciliation_items_immutable();
create trigger reconciliation_items_append_only before delete or truncate on lightning_node.reconciliation_items
  for each statement execute function append_only();

-- Money without a known owner waits here. Every other house account is opened at start, for each currency.
insert into ledger_accounts (kind, currency_code) values ('suspense', 'SAT');
