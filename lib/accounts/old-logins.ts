import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/** As many as go in one statement without keeping a start waiting; the rest goes at the next. */
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
 * Deletes, a day after their end, the logins that made no connection and the sessions that made no such login. What a
 * connection came from is kept with it.
 */
export async function forgetOldLogins(db: Database): Promise<void> {
  await db.query(LOGIN_GRANTS)
  await db.query(SESSIONS)
}
