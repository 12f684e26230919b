-- UMA: what was agreed with other VASPs, what is known of them, and what is owed to them.

-- An invoice made for somebody who was promised an amount in the wallet's own currency credits that amount, at the rates of
-- the day it was promised, whatever the rate does until it is paid (UMAD-06).
alter table invoices
  add column agreed_credit bigint,
  add column rate_snapshot_id text references rate_snapshots (id) on delete restrict on update restrict,
  add constraint invoices_agreement_check check (
    (agreed_credit is null) = (rate_snapshot_id is null) and agreed_credit > 0
    and (credited is null or credited = agreed_credit)
  );
create trigger invoices_agreement_stays before update on invoices for each row when (
  (new.agreed_credit, new.rate_snapshot_id) is distinct from (old.agreed_credit, old.rate_snapshot_id)
) execute function terms_stay();

-- A price that was promised to one of our people: what leaves the wallet, and what the receiver gets for it. It is carried
-- out from these numbers only. The payment of a quote is the one with the quote's hash, user, wallet, debit and fee limit.
create table quotes (
  id bigint generated always as identity primary key,
  payment_hash text not null unique check (payment_hash ~ '^[0-9a-f]{64}$'),
  invoice text not null,
  user_id text not null references users (id) on delete restrict on update restrict,
  -- Null when the person asked for it in the dashboard.
  connection_id text references connections (id) on delete restrict on update restrict,
  wallet_id bigint not null,
  receiver_address text not null check (length(receiver_address) <= 320),
  -- How the receiver's VASP was spoken to.
  protocol text not null check (protocol in ('own', 'uma-1', 'uma-0', 'lnurl')),
  locked_side text not null check (locked_side in ('sending', 'receiving')),
  -- Smallest units of the wallet's currency, fees included.
  total_sending_amount bigint not null check (total_sending_amount > 0),
  -- The same in ledger units: what the wallet pays, no more and no less.
  debit bigint not null check (debit > 0),
  -- Smallest units of the wallet's currency: our own fee and the receiver's.
  fees bigint not null check (fees >= 0),
  -- The part of the fees that is ours.
  own_fees bigint not null check (own_fees between 0 and fees),
  -- code, symbol, name, decimals: the receiver's VASP names them, and they may be unknown here.
  receiving_currency jsonb not null check (jsonb_typeof(receiving_currency) = 'object'),
  total_receiving_amount bigint not null check (total_receiving_amount > 0),
  -- Sending units for one receiving unit, as it was told; nothing is computed from it.
  multiplier double precision not null check (multiplier > 0),
  amount_msats bigint not null check (amount_msats > 0),
  -- The route may take this much of the fees.
  fee_limit_msats bigint not null check (fee_limit_msats >= 0),
  rate_snapshot_id text not null references rate_snapshots (id) on delete restrict on update restrict,
  comment text check (octet_length(comment) <= 1024),
  -- What the receiver's VASP told of the receiver.
  payee_data jsonb check (jsonb_typeof(payee_data) = 'object'),
  -- The secret part of the address at which the receiver's VASP may report what settled it, and theirs.
  callback_id text unique,
  peer_callback text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint quotes_wallet_id_fkey foreign key (wallet_id, user_id) references wallets (id, user_id) on delete restrict on update restrict
);
create index quotes_user_id_idx on quotes (user_id, id desc);
create trigger quotes_terms_stay before update on quotes for each row execute function terms_stay();

-- Who asked for an invoice by UMA or LNURL, and with what; `invoice_id` is what they got.
create table uma_pay_requests (
  invoice_id bigint primary key references invoices (id) on delete restrict on update restrict,
  protocol text not null check (protocol in ('own', 'uma-1', 'uma-0', 'lnurl')),
  receiver_address text not null,
  -- Null for plain LNURL, where nobody says who pays.
  payer_address text check (length(payer_address) <= 320),
  payer_data jsonb check (jsonb_typeof(payer_data) = 'object'),
  -- What the law wants to be known of the payer, encrypted with a key of this VASP.
  travel_rule bytea check (octet_length(travel_rule) <= 65536),
  comment text check (octet_length(comment) <= 1024),
  uma_invoice_id bigint,
  callback_id text unique,
  peer_callback text,
  created_at timestamptz not null default now()
);

-- The public keys of other VASPs, as they were read when they were fetched: {signing, encryption}.
create table uma_peer_keys (
  domain text primary key check (length(domain) <= 255),
  document jsonb not null check (jsonb_typeof(document) = 'object'),
  fetched_at timestamptz not null,
  expires_at timestamptz not null
);

-- Nonces of messages whose signature held: each is accepted once a domain, for as long as its time is in the window.
create table uma_nonces (
  domain text not null,
  nonce text not null check (length(nonce) <= 64),
  expires_at timestamptz not null,
  primary key (domain, nonce)
);
create index uma_nonces_expires_at_idx on uma_nonces (expires_at);

-- The certificates of this VASP's keys: made once, so that every instance shows the same.
create table uma_certificates (
  purpose text primary key check (purpose in ('signing', 'encryption')),
  public_key text not null,
  chain_pem text not null,
  created_at timestamptz not null default now()
);

-- What is still to be told to other VASPs after a settlement, tried again until it is delivered or given up.
create table uma_callbacks_out (
  id bigint generated always as identity primary key,
  payment_hash text not null,
  direction text not null check (direction in ('sent', 'received')),
  url text not null,
  amount_msats bigint not null check (amount_msats > 0),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  delivered_at timestamptz,
  given_up_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  unique (payment_hash, direction)
);
create index uma_callbacks_out_due_idx on uma_callbacks_out (next_attempt_at) where delivered_at is null and given_up_at is null;

-- Finds what was settled since the last look.
create index payments_settled_at_idx on payments (settled_at) where settled_at is not null;

-- What other VASPs told after a settlement. It is kept and never moves money.
create table uma_callbacks_in (
  id bigint generated always as identity primary key,
  callback_id text not null,
  domain text not null,
  body jsonb not null,
  received_at timestamptz not null default now(),
  unique (callback_id, domain)
);

-- UMA invoices that our people made (UMAD-09), for anybody or for one named payer.
create table uma_invoices (
  id bigint generated always as identity primary key,
  uuid uuid not null unique,
  user_id text not null references users (id) on delete restrict on update restrict,
  wallet_id bigint not null,
  -- Smallest units of the wallet's currency.
  amount bigint not null check (amount > 0),
  max_payments integer not null default 1 check (max_payments between 1 and 1000),
  -- The address that was asked to pay it (UMAD-11).
  sender_address text,
  memo text check (octet_length(memo) <= 639),
  encoded text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint uma_invoices_wallet_id_fkey foreign key (wallet_id, user_id) references wallets (id, user_id) on delete restrict on update restrict
);
create index uma_invoices_user_id_idx on uma_invoices (user_id, id desc);
alter table uma_pay_requests add constraint uma_pay_requests_uma_invoice_id_fkey
  foreign key (uma_invoice_id) references uma_invoices (id) on delete restrict on update restrict;
create index uma_pay_requests_uma_invoice_id_idx on uma_pay_requests (uma_invoice_id);

-- Requests for payment that other VASPs sent for our people (UMAD-11).
create table uma_requests (
  id bigint generated always as identity primary key,
  user_id text not null references users (id) on delete restrict on update restrict,
  receiver_address text not null,
  uuid uuid not null,
  encoded text not null,
  amount bigint not null check (amount > 0),
  currency jsonb not null check (jsonb_typeof(currency) = 'object'),
  state text not null default 'open' check (state in ('open', 'paid', 'declined')),
  -- The payment's hash, from the moment that the person agreed.
  payment_hash text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (receiver_address, uuid)
);
create index uma_requests_user_id_idx on uma_requests (user_id, id desc);
