import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/** Rows that one statement deletes. */
const SLICE = 1_000
const EVERY_MS = 60 * 60_000

/** Deletes the rows that `chosen` selects, at most a slice, and counts them. */
const deletion = (table: string, chosen: string): string =>
  `with gone as (delete from ${table} where id = any (array(${chosen} limit ${SLICE} for update skip locked)) returning 1)
   select count(*)::int as count from gone`
/** A login without an exchange has no connection. */
const LOGIN_GRANTS = statement<{ count: number }>(
  'forget_login_grants',
  deletion(
    'login_grants',
    `select id from login_grants where exchanges = 0 and expires_at < now() - interval '1 day' order by expires_at`,
  ),
)
const SESSIONS = statement<{ count: number }>(
  'forget_sessions',
  deletion(
    'sessions',
    `select id from sessions where least(expires_at, ended_at) < now() - interval '1 day' order by least(expires_at, ended_at)`,
  ),
)

/** Deletes logins that created no connection, and sessions, a day after they end. The login behind a connection is kept. */
export async function forgetOldLogins(db: Database): Promise<void> {
  for (const slice of [LOGIN_GRANTS, SESSIONS])
    for (let count = SLICE; count === SLICE;) count = (await db.query(slice))[0]?.count ?? 0
}

/** Deletes now, and then every hour. */
export function keepForgettingOldLogins(db: Database, onError: (error: unknown) => void): void {
  const forget = (): void => void forgetOldLogins(db).catch(onError)
  forget()
  setInterval(forget, EVERY_MS).unref()
}
