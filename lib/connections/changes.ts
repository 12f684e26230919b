import type { Database, Statement } from '../db/database'

const REVOKE: Statement = {
  name: 'revoke_connection',
  text: `update connections set revoked_at = now() where id = $1 and user_id = $2 and revoked_at is null`,
}
/** Also closes the logins of today, so that a stolen login token makes no further connection. */
const REVOKE_TODAY: Statement = {
  name: 'revoke_connections_of_today',
  text: `with logins as (
           update login_grants set exchanges = 20 where user_id = $1 and created_at >= now() - interval '24 hours'
         )
         update connections set revoked_at = now()
         where user_id = $1 and revoked_at is null and created_at >= now() - interval '24 hours'`,
}
const RENAME: Statement = {
  name: 'rename_connection',
  text: `update connections set name = $3 where id = $1 and user_id = $2`,
}

/** Takes effect at the next call, on every instance: each call reads this row. Someone else's id changes nothing. */
export async function revokeConnection(db: Database, id: string, username: string): Promise<void> {
  await db.query(REVOKE, [id, username])
}

/** Ends what the person connected in the last 24 hours. */
export async function revokeToday(db: Database, username: string): Promise<void> {
  await db.query(REVOKE_TODAY, [username])
}

export async function renameConnection(db: Database, id: string, username: string, name: string): Promise<void> {
  await db.query(RENAME, [id, username, name])
}
