import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/** Maximum rows per statement, so that startup is not delayed. The remaining rows are deleted at the next start. */
const MAX_BATCH = 5_000

const LOGIN_GRANTS = statement(
  'forget_login_grants',
  `delete from login_grants where id in (
           select g.id from login_grants g
           where g.expires_at < now() - interval '1 day'
             and not exists (select 1 from connections c where c.login_grant_id = g.id)
           limit ${MAX_BATCH})`,
)
const SESSIONS = statement(
  'forget_sessions',
  `delete from sessions where id in (
           select s.id from sessions s
           where least(s.expires_at, s.ended_at) < now() - interval '1 day'
             and not exists (select 1 from login_grants g where g.session_id = s.id)
           limit ${MAX_BATCH})`,
)

/**
 * Deletes logins that created no connection, and sessions with no remaining login, a day after they end. The login and
 * session behind a connection are kept.
 */
export async function forgetOldLogins(db: Database): Promise<void> {
  await db.query(LOGIN_GRANTS)
  await db.query(SESSIONS)
}
