-- What happened at this VASP, for the pages that show it: API calls, token exchanges, logins, messages and changes of
-- state. Masked before it is stored. Rows are only added, and deleted when they are old or too many.
create table events (
  id bigint generated always as identity primary key,
  recorded_at timestamptz not null default clock_timestamp(),
  kind text not null check (kind in ('api_call', 'token_exchange', 'login', 'discovery', 'uma_message', 'lightning_message',
                                     'payment', 'invoice', 'payment_request', 'connection', 'wallet')),
  name text not null check (length(name) <= 200),
  -- Only what a verified token, a session or our own payment proves; null for an event without owner.
  user_id text,
  connection_id text,
  request_id text,
  status integer,
  duration_micros bigint,
  failed_check text,
  summary text not null default '' check (length(summary) <= 300),
  detail jsonb not null default '{}',
  replay_of bigint,
  injected text
);
create index events_user_id_idx on events (user_id, id desc);
create index events_connection_id_idx on events (connection_id, id desc) where connection_id is not null;

create function events_immutable() returns trigger language plpgsql as $$
begin
  raise exception 'an event never changes' using errcode = 'EV001';
end $$;
create trigger events_immutable before update on events for each row execute function events_immutable();
