import type { ClientBase } from 'pg'
import { sqlState } from './sql-state'

/**
 * Names the history of commits that a connection continues: of which cluster, on which timeline, in which database. A promoted standby
 * and a restored backup begin another timeline, cluster or database, and may lack the last commits of the one before.
 */
const HISTORY = `
  select case when not pg_is_in_recovery() then concat_ws('/',
    (select system_identifier from pg_control_system()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8),
    (select oid from pg_database where datname = current_database())) end as history`

/** SQLSTATE of a server without these functions (feature not supported, undefined function), or that keeps them for administrators. */
const NOT_OFFERED = new Set(['0A000', '42883', '42501'])
const READ_ONLY = '25006'

/** `standby` for a server in recovery. `unknown` where the server does not say, as some managed ones. */
export async function readHistory(client: Pick<ClientBase, 'query'>): Promise<string> {
  try {
    const { rows } = await client.query<{ history: string | null }>(HISTORY)
    return rows[0]?.history ?? 'standby'
  } catch (error) {
    if (NOT_OFFERED.has(sqlState(error) ?? '')) return 'unknown'
    throw error
  }
}

/**
 * Refuses a connection that does not continue the history of the start. What this process remembers of the database (that the totals of
 * its peers agree, for example) may be wrong there.
 * @param onReplaced called for another history. A standby is none yet: it may be promoted.
 * @throws Error with the SQLSTATE of a read-only transaction.
 */
export async function requireHistory(
  client: Pick<ClientBase, 'query'>,
  history: string,
  onReplaced: () => void,
): Promise<void> {
  if (history === 'unknown') return
  const now = await readHistory(client)
  if (now === history) return
  if (now !== 'standby') onReplaced()
  const message = now === 'standby' ? 'the server is a standby' : 'the database is not the one of the start'
  throw Object.assign(new Error(message), { severity: 'FATAL', code: READ_ONLY })
}
