import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/**
 * The client ids of logins that pages of this server create. Their connections are no news to the user, so no other login may be stored
 * with one: a stolen login would then create a connection unnoticed.
 */
export const INSPECTOR_CLIENT = 'token inspector'
export const REFERENCE_CLIENT = 'API reference'

/** The client id to store for a login that an app requested. The app chooses the text. */
export function clientIdOfApp(clientId: string | undefined): string | null {
  return clientId === undefined || clientId === INSPECTOR_CLIENT || clientId === REFERENCE_CLIENT ? null : clientId
}

const INSERT = statement<{ id: string }>(
  'insert_login_grant',
  `insert into login_grants (id, user_id, session_id, app_host, app_client_id, expires_at)
         values ($1, $2, $3, $4, $5, to_timestamp($6::bigint)) on conflict (id) do nothing returning id`,
)

/**
 * Records an issued login token and the request's information about the app. The id is that of the sign-in request, so a request that
 * is finished twice finds its row.
 */
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
): Promise<'created' | 'already-created'> {
  const { id, userId, sessionId, appHost, clientId, expiresAtSeconds } = grant
  const rows = await db.query(INSERT, [id, userId, sessionId, appHost, clientId, expiresAtSeconds])
  return rows.length === 1 ? 'created' : 'already-created'
}

const CLOSE = statement(
  'close_login_grant',
  `update login_grants set closed_at = now() where id = $1 and closed_at is null`,
)

/** Prevents the login from creating further connections. */
export async function closeLoginGrant(db: Database, id: string): Promise<void> {
  await db.query(CLOSE, [id])
}
