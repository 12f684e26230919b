import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/** The client id of logins that the token inspector creates. An app's client id is a key and a relay, so it never has this text. */
export const INSPECTOR_CLIENT = 'token inspector'

const INSERT = statement(
  'insert_login_grant',
  `insert into login_grants (id, user_id, session_id, app_host, app_client_id, expires_at)
         values ($1, $2, $3, $4, $5, to_timestamp($6::bigint))`,
)

/** Records an issued login token and the request's information about the app. */
export async function insertLoginGrant(
  db: Database,
  grant: {
    readonly id: string
    readonly userId: string
    readonly sessionId: string
    readonly appHost: string | null
    readonly clientId: string | null
    readonly expiresAtSeconds: number
  },
): Promise<void> {
  const { id, userId, sessionId, appHost, clientId, expiresAtSeconds } = grant
  await db.query(INSERT, [id, userId, sessionId, appHost, clientId, expiresAtSeconds])
}

const CLOSE = statement(
  'close_login_grant',
  `update login_grants set closed_at = now() where id = $1 and closed_at is null`,
)

/** Prevents the login from creating further connections. */
export async function closeLoginGrant(db: Database, id: string): Promise<void> {
  await db.query(CLOSE, [id])
}
