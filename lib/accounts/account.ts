import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

const ACCOUNT = statement<{ status: string; has_grant: boolean }>(
  'account_of_login',
  `select u.status, exists (select 1 from login_grants g where g.id = $2 and g.user_id = u.id and g.closed_at is null) as has_grant
         from users u where u.id = $1`,
)

export interface Account {
  readonly status: string
  /** Whether this VASP issued the login token to this user and the login is still open. */
  readonly hasGrant: boolean
}

export async function accountOf(db: Database, username: string, loginGrantId: string): Promise<Account | undefined> {
  const [row] = await db.query(ACCOUNT, [username, loginGrantId])
  return row === undefined ? undefined : { status: row.status, hasGrant: row.has_grant }
}
