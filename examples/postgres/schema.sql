-- The rows decide every race: a primary key, a unique key or a lock on one of them. Amounts are in millisatoshis.
create table users (
  -- Never changes. The name in the user's address may change, and may then be given to another user.
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (name ~ '^[a-z0-9._+-]{1,63}$'),
  password_hash text not null,
  active boolean not null default true,
  balance_msats bigint not null default 1000000000 check (balance_msats >= 0),
  daily_limit_msats bigint not null default 1000000000
);

-- Browsers that are signed in. `id` is the hash of the cookie.
create table sessions (
  id text primary key,
  user_id uuid not null references users,
  expires_at timestamptz not null default now() + interval '12 hours'
);

-- One row for each login redirect. `id` is that of the sign-in request, so a request is finished once.
create table logins (
  id text primary key,
  user_id uuid not null references users,
  address text not null,
  session_id text not null,
  app_host text,
  client_id text,
  expires_at timestamptz not null,
  closed boolean not null default false
);
create index on logins (session_id);

create table connections (
  id text primary key,
  login_id text not null references logins,
  user_id uuid not null references users,
  address text not null,
  permissions text[] not null,
  expires_at timestamptz,
  revoked boolean not null default false
);
create index on connections (login_id);
create index on connections (user_id);

-- Invoices, quotes and payments: an invoice is paid once, because its row has room for one payer.
create table invoices (
  payment_hash text primary key,
  preimage text not null,
  text text not null unique,
  payee uuid not null references users,
  -- The user who may execute it as a quote. Null for an invoice that its payee asked for.
  quoted_to uuid references users,
  amount_msats bigint not null check (amount_msats > 0),
  description text,
  description_hash text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  payer uuid references users check (payer <> payee),
  settled_at timestamptz check ((settled_at is null) = (payer is null))
);
create index on invoices (payer, settled_at);

-- What the requests with an Idempotency-Key asked for, and the invoice that each created or paid.
create table idempotency_keys (
  connection_id text not null references connections,
  key text not null,
  request text not null,
  payment_hash text references invoices,
  primary key (connection_id, key)
);
