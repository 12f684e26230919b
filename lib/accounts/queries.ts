import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import { addressOf } from 'uma-auth-vasp'

export interface UserCard {
  readonly username: string
  readonly displayName: string
  readonly address: string
  readonly currencyCodes: readonly string[]
}

/** The users on a sandbox's sign-in page, oldest first. Temporary users belong to one person or test, and are left out. */
export async function listUsers({
  db,
  settings,
}: {
  readonly db: Database
  readonly settings: Pick<Settings, 'vaspDomain'>
}): Promise<UserCard[]> {
  const users = await db.prisma.user.findMany({
    where: { status: 'active', madeOnDemand: false },
    include: { wallets: { orderBy: { position: 'asc' } } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    take: 50,
  })
  return users.map((user) => ({
    username: user.id,
    displayName: user.displayName,
    address: addressOf(user.id, settings.vaspDomain),
    currencyCodes: user.wallets.map((wallet) => wallet.currencyCode),
  }))
}
