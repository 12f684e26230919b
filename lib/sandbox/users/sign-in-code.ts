import { secretHash } from '../../accounts/sign-in/passwords'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'

const OPEN = `sign_in_code_hash = $1 and sign_in_code_expires_at > now() and status = 'active'`
const READ = statement<{ id: string; display_name: string }>(
  'user_of_sign_in_code',
  `select id, display_name from users where ${OPEN}`,
)
const USE = statement<{ id: string }>(
  'use_sign_in_code',
  `update users set sign_in_code_hash = null where ${OPEN} returning id`,
)

/** The user whom a sign-in link's code would sign in. Reading does not use up the code, because link previews also open links. */
export async function readSignInCode(
  db: Database,
  code: string,
): Promise<{ readonly username: string; readonly displayName: string } | undefined> {
  const [row] = await db.query(READ, [secretHash(code)])
  return row === undefined ? undefined : { username: row.id, displayName: row.display_name }
}

/** Uses up the code and returns its user. Of two uses at the same instant, only one succeeds. */
export async function takeSignInCode(db: Database, code: string): Promise<string | undefined> {
  const [row] = await db.query(USE, [secretHash(code)])
  return row?.id
}
