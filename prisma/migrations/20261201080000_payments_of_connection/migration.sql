-- A connection's page lists its payments and adds up what it has spent.
create index payments_connection_id_idx on payments (connection_id, created_at desc, id desc) where connection_id is not null;
