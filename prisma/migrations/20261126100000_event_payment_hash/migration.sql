-- Links an event to the payment, invoice or quote that it is about, and a replayed call to its replays.
alter table events add column payment_hash text;
create index events_payment_hash_idx on events (payment_hash) where payment_hash is not null;
create index events_replay_of_idx on events (replay_of) where replay_of is not null;
