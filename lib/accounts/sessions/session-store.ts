import { walletOrder } from '../../ledger/accounts'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import { TOUCH_DUE, touchUser } from '../users'

/** Lifetime of a dashboard session: one working day. */
export const SESSION_SECONDS = 12 * 60 * 60

/** The lock waits for a change of the password that is in progress, which may end this sign-in. */
const OPEN = statement<{ id: string }>(
  'open_session',
  `insert into sessions (id, user_id, expires_at)
   select $1, id, now() + make_interval(secs => ${SESSION_SECONDS}) from users
   where id = $2 and ($3::text is null or password_hash = $3) for share
   returning id`,
)
const END = statement('end_session', `update sessions set ended_at = now() where id = $1 and ended_at is null`)
const USER = statement<SessionUser & { readonly touchDue: boolean }>(
  'user_of_session',
  `select u.id as username, u.display_name as "displayName", u.status <> 'active' as suspended, u.made_on_demand as temporary,
                u.time_zone as "timeZone",
                ${TOUCH_DUE} as "touchDue",
                array(select w.currency_code from wallets w where w.user_id = u.id order by ${walletOrder('u.default_currency')}) as "currencyCodes"
         from sessions s join users u on u.id = s.user_id
         where s.id = $1 and s.ended_at is null and s.expires_at > now()`,
)

/**
 * Stores a dashboard session. Signing out ends the session, so that a copied cookie stops working.
 * @param passwordHash the hash that the typed password matched. When the password has changed since, no session opens.
 * @returns whether the session is open.
 */
export async function openSession(
  db: Database,
  sessionId: string,
  username: string,
  passwordHash?: string,
): Promise<boolean> {
  return (await db.query(OPEN, [sessionId, username, passwordHash ?? null])).length > 0
}

/** Ends the session for every browser that has its cookie. */
export async function endSession(db: Database, sessionId: string): Promise<void> {
  await db.query(END, [sessionId])
}

const SIGN_OUT = statement<{ done: boolean }>('sign_out_user', `select sign_out_user($1, $2, $3) as done`)

/**
 * Ends every session of a user, and voids a sign-in link that was not used. Connections of apps stay.
 * @param passwordHash replaces the password in the same transaction. Without it the password stays.
 * @param keptSession stays open.
 * @returns false when there is no such user, or the user is closed.
 */
export async function signOutUser(
  db: Database,
  username: string,
  { passwordHash, keptSession }: { readonly passwordHash?: string; readonly keptSession?: string } = {},
): Promise<boolean> {
  const [row] = await db.query(SIGN_OUT, [username, passwordHash ?? null, keptSession ?? null])
  return row?.done === true
}

export interface SessionUser {
  readonly username: string
  readonly displayName: string
  readonly suspended: boolean
  /** Created on demand. Without its password, no one can sign in as this user again. */
  readonly temporary: boolean
  readonly currencyCodes: readonly string[]
  /** The time zone that the user chose for the pages; null or absent for that of the browser. */
  readonly timeZone?: string | null
}

/** The user of a session; undefined when the session has ended. */
export async function userOfSession(db: Database, sessionId: string): Promise<SessionUser | undefined> {
  const [row] = await db.query(USER, [sessionId])
  if (row === undefined) return undefined
  const { touchDue, ...user } = row
  if (touchDue) await touchUser(db, user.username)
  return user
}
