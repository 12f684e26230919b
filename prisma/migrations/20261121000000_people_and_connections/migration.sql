-- People, their currencies, their sessions, and the tokens issued in their name.

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
  constraint login_grants_exchanges_limited check (exchanges between 0 and 20),
  constraint login_grants_app_host_length check (char_length(app_host) <= 255),
  constraint login_grants_app_client_id_length check (char_length(app_client_id) <= 200)
);
create index login_grants_user_id_created_at_idx on login_grants (user_id, created_at);

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

-- What a token may do is fixed when it is issued, and a revocation is for good. Held by the database itself, so that no
-- later statement can widen a token that is already out.
create function connections_keep_their_terms() returns trigger language plpgsql as $$
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
create trigger connections_keep_their_terms before update on connections
  for each row execute function connections_keep_their_terms();

create function connections_are_kept() returns trigger language plpgsql as $$
begin
  raise exception 'connections are never deleted' using errcode = 'CN003';
end $$;
create trigger connections_are_kept before delete or truncate on connections
  for each statement execute function connections_are_kept();
