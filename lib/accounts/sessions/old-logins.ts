import type { Database } from '../../platform/db/database'
import { deleteInSlices, deletion, SLICE, type Deleted } from '../../platform/db/delete-in-slices'
import { statement } from '../../platform/db/statement'
import { runEvery } from '../../platform/run-every'

const EVERY_MS = 60 * 60_000

const deletionOf = (table: string, chosen: string): string =>
  deletion(table, 'id', `${chosen} limit ${SLICE} for update skip locked`)
/** A login without an exchange has no connection. */
const LOGIN_GRANTS = statement<Deleted>(
  'forget_login_grants',
  deletionOf(
    'login_grants',
    `select id from login_grants where exchanges = 0 and expires_at < now() - interval '1 day' order by expires_at`,
  ),
)
const SESSIONS = statement<Deleted>(
  'forget_sessions',
  deletionOf(
    'sessions',
    `select id from sessions where least(expires_at, ended_at) < now() - interval '1 day' order by least(expires_at, ended_at)`,
  ),
)

/** Deletes logins that created no connection, and sessions, a day after they end. The login behind a connection is kept. */
export async function forgetOldLogins(db: Database): Promise<void> {
  await deleteInSlices(db, LOGIN_GRANTS)
  await deleteInSlices(db, SESSIONS)
}

/** Deletes now, and then every hour. */
export function scheduleLoginCleanup(db: Database, onError: (error: unknown) => void): void {
  runEvery(EVERY_MS, () => forgetOldLogins(db), onError)()
}
