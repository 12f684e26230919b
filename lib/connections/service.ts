import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import { prismaCall } from '../platform/db/prisma-call'
import { statement } from '../platform/db/statement'
import { IS_ACTIVE } from './queries'

/** The maximum number of connections that one sign-in may create. A gateway makes one exchange for each connection. */
const MAX_EXCHANGES = 20
/** The maximum number of rows that one statement revokes. */
const UNUSED_SLICE = 500

/** `many`: the user has the maximum number of active connections. */
export type CreateOutcome = 'created' | 'login-closed' | 'login-used-up' | 'many'

const CREATE_CONNECTION = statement<{ outcome: string }>(
  'create_connection',
  `select create_connection($1, $2, $3, $4, to_timestamp($5::bigint), ${MAX_EXCHANGES}, $6) as outcome`,
)

/** Counts the exchange and stores the connection. Both limits are exact, on all instances together. */
export async function createConnection(
  { db, settings }: { readonly db: Database; readonly settings: Pick<Settings, 'maxActiveConnectionsPerUser'> },
  connection: {
    readonly id: string
    readonly loginId: string
    readonly userId: string
    readonly permissions: readonly string[]
    readonly expiresAtSeconds: number | undefined
  },
): Promise<CreateOutcome> {
  const { id, loginId, userId, permissions, expiresAtSeconds = null } = connection
  const max = settings.maxActiveConnectionsPerUser
  const [row] = await db.query(CREATE_CONNECTION, [id, loginId, userId, permissions, expiresAtSeconds, max])
  if (row === undefined) throw new Error('create_connection returned no row')
  return row.outcome as CreateOutcome
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

const HAS_BEEN_UNUSED = `coalesce(last_used_at, created_at) < now() - make_interval(hours => $2)`
const COUNT_UNUSED = statement<{ count: number }>(
  'count_unused_connections',
  `select count(*)::integer as count from connections where user_id = $1 and ${IS_ACTIVE} and ${HAS_BEEN_UNUSED}`,
)
/**
 * A row that another statement has locked is being used, renamed or revoked now. Skipping it also means that this statement never
 * waits, so it cannot deadlock.
 */
const REVOKE_UNUSED = statement<{ id: string }>(
  'revoke_unused_connections',
  `with unused as (
     select id from connections where user_id = $1 and ${IS_ACTIVE} and ${HAS_BEEN_UNUSED}
     limit ${UNUSED_SLICE} for no key update skip locked
   )
   update connections set revoked_at = now() where id = any (array(select id from unused)) returning id`,
)

/** How many active connections have made no call for this many hours. A new connection counts from its creation. */
export async function countUnused(db: Database, username: string, hours: number): Promise<number> {
  return (await db.query(COUNT_UNUSED, [username, hours]))[0]?.count ?? 0
}

/** Revokes these connections. A connection that is used in the meantime stays. */
export async function revokeUnused(db: Database, username: string, hours: number): Promise<number> {
  let count = 0
  for (;;) {
    const revoked = await db.query(REVOKE_UNUSED, [username, hours])
    count += revoked.length
    if (revoked.length < UNUSED_SLICE) return count
  }
}

/** Renames one connection of the user. False, and nothing changes, when the user has no connection with this id. */
export const renameConnection = prismaCall(
  'renameConnection',
  async ({ connection }, id: string, username: string, name: string) =>
    (await connection.updateMany({ where: { id, userId: username }, data: { name } })).count > 0,
)
