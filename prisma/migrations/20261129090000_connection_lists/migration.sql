-- A page of a user's active or ended connections reads no more rows than it shows, however many there are of both kinds. Both
-- indexes replace the one that mixed the two kinds.
create index connections_active_idx on connections (user_id, created_at desc, id desc, coalesce(expires_at, 'infinity'))
  where revoked_at is null;
-- Ended at: the time of the revocation or the expiry, whichever came first.
create index connections_ended_idx on connections (user_id, coalesce(least(revoked_at, expires_at), 'infinity') desc, id desc);
drop index connections_user_id_created_at_id_idx;
