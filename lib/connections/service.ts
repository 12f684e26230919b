import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/** The maximum number of connections that one sign-in may create. A gateway makes one exchange for each connection. */
const MAX_EXCHANGES = 20

/**
 * Counts the exchange and stores the connection in one statement. When two requests for the last connection arrive together, the
 * update's row lock lets only one through. Closing the login waits for that lock.
 * A host that is too long for a name loses its beginning, because no one can choose the end of a host freely.
 */
const INSERT_CONNECTION = statement<{ id: string }>(
  'insert_connection',
  `with login as (
           update login_grants set exchanges = exchanges + 1
           where id = $2 and user_id = $3 and exchanges < ${MAX_EXCHANGES} and closed_at is null
           returning id, user_id, app_host
         )
         insert into connections (id, user_id, login_grant_id, name, permissions, expires_at)
         select $1, user_id, id, coalesce(
                  case when char_length(app_host) > 80 then '…' || right(app_host, 79) else app_host end,
                  'Connection of ' || to_char(now() at time zone 'UTC', 'FMDD FMMonth YYYY, HH24:MI:SS "UTC"')),
                $4::text[], to_timestamp($5::bigint)
         from login
         returning id`,
)

/** Stores a connection; false when the login has reached its limit or was closed. */
export async function insertConnection(
  db: Database,
  connection: {
    readonly id: string
    readonly loginId: string
    readonly userId: string
    readonly permissions: readonly string[]
    readonly expiresAtSeconds: number | undefined
  },
): Promise<boolean> {
  const { id, loginId, userId, permissions, expiresAtSeconds } = connection
  const rows = await db.query(INSERT_CONNECTION, [id, loginId, userId, permissions, expiresAtSeconds ?? null])
  return rows.length === 1
}

const LOGIN_IS_OPEN = statement<{ open: boolean }>(
  'login_is_open',
  `select exists (select 1 from login_grants g join users u on u.id = g.user_id
                        where g.id = $1 and g.closed_at is null and u.status = 'active') as open`,
)

/** Whether a login is open and its user is active. */
export async function loginIsOpen(db: Database, loginId: string): Promise<boolean> {
  const [row] = await db.query(LOGIN_IS_OPEN, [loginId])
  return row?.open === true
}

const REVOKE = statement<{ id: string }>(
  'revoke_connection',
  `update connections set revoked_at = coalesce(revoked_at, now()) where id = $1 and user_id = $2 returning id`,
)
/** Locks rows in one order, so that two of these statements never deadlock. */
const CLOSE_LOGINS_OF_TODAY = statement(
  'close_logins_of_today',
  `update login_grants set closed_at = now() where id = any (array(
           select id from login_grants
           where user_id between $1 and $1 and closed_at is null and created_at >= now() - interval '24 hours'
           order by id for update))`,
)
const REVOKE_TODAY = statement(
  'revoke_connections_of_today',
  `update connections set revoked_at = now()
         where user_id between $1 and $1 and revoked_at is null and created_at >= now() - interval '24 hours'`,
)

/**
 * Revokes one connection of the user. The revocation applies from the next call, on every instance, because each call reads this
 * row. A repeated revocation keeps the first one's time. False, and nothing changes, when the user has no connection with this id.
 */
export async function revokeConnection(db: Database, id: string, username: string): Promise<boolean> {
  return (await db.query(REVOKE, [id, username])).length > 0
}

/**
 * Ends the user's connections and logins of the last 24 hours, including stolen ones. Two statements, in this order: an exchange
 * locks its login's row until it commits, so closing the login waits for the exchange. Only a statement that begins afterwards sees
 * the connection that the exchange created.
 */
export async function revokeToday(db: Database, username: string): Promise<void> {
  await db.query(CLOSE_LOGINS_OF_TODAY, [username])
  await db.query(REVOKE_TODAY, [username])
}

/** Renames one connection of the user. False, and nothing changes, when the user has no connection with this id. */
export async function renameConnection(db: Database, id: string, username: string, name: string): Promise<boolean> {
  const { count } = await db.prisma.connection.updateMany({ where: { id, userId: username }, data: { name } })
  return count > 0
}
