import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import { addressOf } from 'uma-auth-vasp'
import { SANDBOX_USERNAMES } from './seed'

/** Whether this VASP has such a user, and the user is active. */
export async function isActiveUser(db: Database, username: string): Promise<boolean> {
  return (await db.prisma.user.count({ where: { id: username, status: 'active' } })) > 0
}

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
  const users = await db.prisma.user.findMany({
    where: { status: 'active', id: { in: [...SANDBOX_USERNAMES] } },
    include: { wallets: { orderBy: { position: 'asc' } } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return users.map((user) => ({
    username: user.id,
    displayName: user.displayName,
    address: addressOf(user.id, settings.vaspDomain),
    currencyCodes: user.wallets.map((wallet) => wallet.currencyCode),
  }))
}
