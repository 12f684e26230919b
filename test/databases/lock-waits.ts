/**
 * The backends of this database that wait for a lock, as `pid`, without those of other databases on the server. Every
 * backend in a transaction holds locks that name its database. `pg_stat_activity` is not used, because it does not
 * change within a transaction.
 */
export const LOCK_WAITS = `select distinct pid from pg_locks where not granted and pid in
  (select pid from pg_locks where database = (select oid from pg_database where datname = current_database()))`
