import { statement } from '../platform/db/statement'
import type { AccountPorts } from './types'

const CLOSE = statement<{ closed: boolean }>('close_user', `select close_user($1, $2) as closed`)

/**
 * Closes a user permanently: sessions and connections end, incoming payments are refused, and the name is never issued again. A
 * payment in progress ends as usual.
 * @param when `unused`: closes only a temporary user whose lifetime has ended.
 * @returns false when there is no such user, or the user is closed already.
 */
export async function closeUser(
  { db, log }: Pick<AccountPorts, 'db'> & { readonly log?: Pick<AccountPorts['log'], 'info'> },
  username: string,
  when: 'always' | 'unused' = 'always',
): Promise<boolean> {
  const [row] = await db.query(CLOSE, [username, when === 'unused'])
  if (row?.closed === true) log?.info({ username }, 'user closed')
  return row?.closed === true
}
