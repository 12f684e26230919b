-- Wrong passwords, counted for all instances together. Old rows are deleted, so the table holds no history.
create table password_attempts (
  -- HMAC-SHA-256 of what is counted: a user name, a user name in a known browser, or the network of a client.
  key_hash text primary key,
  -- Wrong passwords, and attempts in progress.
  wrong integer not null,
  -- When the next attempt is allowed.
  allowed_at timestamptz not null,
  -- When the count starts again at zero.
  forgotten_at timestamptz not null,
  constraint password_attempts_key_hash_form check (key_hash ~ '^[A-Za-z0-9_-]{43}$'),
  constraint password_attempts_wrong_from_zero check (wrong >= 0)
);
