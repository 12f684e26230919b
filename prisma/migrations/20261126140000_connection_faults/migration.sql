-- Faults that the owner of a connection asks for: the next calls of the connection fail as described. Only with the sandbox tools.
create table connection_faults (
  id bigint generated always as identity primary key,
  connection_id text not null references connections (id) on delete restrict on update restrict,
  kind text not null,
  -- Whether the call fails instead of its work, or after its work.
  stage text not null,
  -- Length of a delay, or the value of Retry-After.
  seconds integer,
  calls_left integer not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  constraint connection_faults_kind_form check (kind ~ '^[A-Za-z0-9_]{1,40}$'),
  constraint connection_faults_stage_known check (stage in ('before', 'after')),
  constraint connection_faults_seconds_range check (seconds between 1 and 3600),
  constraint connection_faults_calls_range check (calls_left between 0 and 100),
  constraint connection_faults_one_hour check (expires_at <= created_at + interval '1 hour')
);
create index connection_faults_connection_id_idx on connection_faults (connection_id);

-- Until then a call looks for faults of its connection. Null, or in the past: there is none, and nothing is read.
alter table connections add column faults_until timestamptz;

-- Sets until when calls of a connection look for faults. A session that adds a fault holds the connection's row until it commits,
-- so the second statement sees the fault.
create function refresh_faults(of_connection text) returns void language plpgsql as $$
begin
  perform 1 from connections where id = of_connection for no key update;
  update connections
    set faults_until = (select max(f.expires_at) from connection_faults f
                        where f.connection_id = of_connection and f.calls_left > 0 and f.expires_at > now())
    where id = of_connection;
end $$;

-- What a token may do is fixed when it is issued, and a revocation is final: no later statement can widen a token. A connection
-- can be made to expire at once.
create or replace function connections_immutable() returns trigger language plpgsql as $$
begin
  if (new.id, new.user_id, new.login_grant_id, new.permissions, new.created_at)
     is distinct from (old.id, old.user_id, old.login_grant_id, old.permissions, old.created_at)
     or new.expires_at is distinct from old.expires_at
        and (new.expires_at is null or new.expires_at > clock_timestamp() or new.expires_at > old.expires_at) then
    raise exception 'the terms of a connection never change' using errcode = 'CN001';
  end if;
  if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
    raise exception 'a revoked connection stays revoked' using errcode = 'CN002';
  end if;
  return new;
end $$;
