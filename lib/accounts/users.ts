import { addressOf } from 'uma-auth-vasp'
import { walletOrder } from '../ledger/accounts'
import type { CurrencyCode } from '../money/currencies'
import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import { prismaCall } from '../platform/db/prisma-call'
import { statement } from '../platform/db/statement'
import { writeIfPossible } from '../platform/failures'
import { SANDBOX_USERNAMES } from './seed'
import type { AccountPorts } from './types'

/** Whether this VASP has such a user, and the user is active. */
export const isActiveUser = prismaCall(
  'isActiveUser',
  async ({ user }, username: string) => (await user.count({ where: { id: username, status: 'active' } })) > 0,
)

const TEST_USERS = statement<Omit<UserCard, 'address'>>(
  'list_test_users',
  `select u.id as username, u.display_name as "displayName",
          array (select w.currency_code from wallets w where w.user_id = u.id order by ${walletOrder('u.default_currency')}) as "currencyCodes"
   from users u where u.id = any ($1::text[]) and u.status = 'active' order by u.created_at, u.id`,
)

export interface UserCard {
  readonly username: string
  readonly displayName: string
  readonly address: string
  readonly currencyCodes: readonly string[]
}

/**
 * The users of a sandbox who have the printed password, oldest first. Each other user has a password of its own: an operator added it,
 * or it is temporary.
 */
export async function listTestUsers({
  db,
  settings,
}: {
  readonly db: Database
  readonly settings: Pick<Settings, 'vaspDomain'>
}): Promise<UserCard[]> {
  return (await db.query(TEST_USERS, [SANDBOX_USERNAMES])).map((user) => ({
    ...user,
    address: addressOf(user.username, settings.vaspDomain),
  }))
}

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

const CHOOSE_WALLET = statement<{ id: string }>(
  'choose_default_wallet',
  `update users set default_currency = $2
         where id = $1 and exists (select from wallets where user_id = $1 and currency_code = $2) returning id`,
)

/** Puts one wallet first in the user's order of preference. The others keep theirs. @returns false without such a wallet. */
export async function chooseDefaultWallet(db: Database, username: string, code: CurrencyCode): Promise<boolean> {
  return (await db.query(CHOOSE_WALLET, [username, code])).length > 0
}

/** Stores the time zone of the user's pages; null for that of the browser. */
export const chooseTimeZone = prismaCall(
  'chooseTimeZone',
  async ({ user }, username: string, timeZone: string | null) => {
    await user.updateMany({ where: { id: username }, data: { timeZone } })
  },
)

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

/** Whether a text has the format of a user name that the table `users` requires. */
export function isUsername(text: string): boolean {
  return /^[a-z0-9_.+-]{1,63}$/.test(text)
}

/** Each use restarts the lifetime that the temporary user was created with. Other users have no lifetime and are not changed. */
const TOUCH = statement(
  'touch_user',
  `update users set expires_at = now() + (expires_at - last_used_at), last_used_at = now()
         where id = $1 and made_on_demand and status <> 'closed'`,
)

/** SQL for `users u`: a use is recorded at most once a minute. */
export const TOUCH_DUE = `coalesce(u.last_used_at < now() - interval '1 minute', false)`

/** Records that a temporary user was used, which postpones its removal. */
export async function touchUser(db: Database, username: string): Promise<void> {
  await writeIfPossible(db.query(TOUCH, [username]))
}
