import { openNodeAccounts } from '@/lib/ledger/accounts'
import type { NodeChoice } from '@/lib/lightning/opened-node'
import { makeLndWorld, type LndWorld } from './world'

/** The choice of an LND that runs in this process. `onOpen` receives it once the database is open. */
export function fakeLndNode(onOpen: (world: LndWorld) => void): NodeChoice {
  return {
    books: 'elsewhere',
    accountKeys: undefined,
    check() {},
    async open({ db, creditPlannerFor }) {
      const world = makeLndWorld(db)
      onOpen(world)
      const { publicKeyHex } = world.lnd
      const accounts = await openNodeAccounts(db, [publicKeyHex])
      return { node: world.open({ creditPlanner: creditPlannerFor(accounts, publicKeyHex) }), accounts }
    },
  }
}
