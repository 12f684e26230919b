import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { TOUCH_DUE, touchUser } from './touch-user'

/** Lifetime of a dashboard session: one working day. */
export const SESSION_SECONDS = 12 * 60 * 60

const OPEN = statement(
  'open_session',
  `insert into sessions (id, user_id, expires_at) values ($1, $2, now() + make_interval(secs => ${SESSION_SECONDS}))`,
)
const END = statement('end_session', `update sessions set ended_at = now() where id = $1 and ended_at is null`)
const USER = statement<{
  username: string
  display_name: string
  status: string
  touch_due: boolean
  currency_codes: string[]
}>(
  'user_of_session',
  `select u.id as username, u.display_name, u.status, ${TOUCH_DUE} as touch_due,
                array(select w.currency_code from wallets w where w.user_id = u.id order by w.position) as currency_codes
         from sessions s join users u on u.id = s.user_id
         where s.id = $1 and s.ended_at is null and s.expires_at > now()`,
)

/** Stores a dashboard session. Signing out ends the session, so that a copied cookie stops working. */
export async function openSession(db: Database, sessionId: string, username: string): Promise<void> {
  await db.query(OPEN, [sessionId, username])
}

/** Ends the session for every browser that has its cookie. */
export async function endSession(db: Database, sessionId: string): Promise<void> {
  await db.query(END, [sessionId])
}

export interface SessionUser {
  readonly username: string
  readonly displayName: string
  readonly suspended: boolean
  readonly currencyCodes: readonly string[]
}

/** The user of a session; undefined when the session has ended. */
export async function userOfSession(db: Database, sessionId: string): Promise<SessionUser | undefined> {
  const [row] = await db.query(USER, [sessionId])
  if (row === undefined) return undefined
  if (row.touch_due) await touchUser(db, row.username)
  return {
    username: row.username,
    displayName: row.display_name,
    suspended: row.status !== 'active',
    currencyCodes: row.currency_codes,
  }
}
