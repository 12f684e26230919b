import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

const REVOKE = statement<{ id: string }>(
  'revoke_connection',
  `update connections set revoked_at = coalesce(revoked_at, now()) where id = $1 and user_id = $2 returning id`,
)
/** In one order, so that two of these at once never wait for each other. */
const CLOSE_LOGINS_OF_TODAY = statement(
  'close_logins_of_today',
  `with today as (
           select id from login_grants
           where user_id = $1 and closed_at is null and created_at >= now() - interval '24 hours'
           order by id for update
         )
         update login_grants set closed_at = now() where id in (select id from today)`,
)
const REVOKE_TODAY = statement(
  'revoke_connections_of_today',
  `update connections set revoked_at = now()
         where user_id = $1 and revoked_at is null and created_at >= now() - interval '24 hours'`,
)

/**
 * Revokes one connection of the user. It takes effect at the next call, on every instance: each call reads this row.
 * Revoking again keeps the first time. False, and nothing changes, when the user has no connection with this id.
 */
export async function revokeConnection(db: Database, id: string, username: string): Promise<boolean> {
  return (await db.query(REVOKE, [id, username])).length > 0
}

/**
 * Ends what the person connected in the last 24 hours, and the logins it came from, stolen ones too. Two statements, in
 * this order: an exchange holds its login's row until it is committed, so closing waits for it, and only a statement
 * that begins afterwards sees the connection it made.
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
