/**
 * The backends of this database that wait for a lock, as `pid`: whatever others do on the same server. Every backend in a
 * transaction holds locks that name its database. Not from `pg_stat_activity`, which stays the same within a transaction.
 */
export const LOCK_WAITS = `select distinct pid from pg_locks where not granted and pid in
  (select pid from pg_locks where database = (select oid from pg_database where datname = current_database()))`
