import { openNodeAccounts } from '@/lib/ledger/accounts'
import type { NodeChoice } from '@/lib/lightning/opened-node'
import type { LndWorld } from './world'

/** The entry of a node's folder, as docs/change.md asks for it: LND has one account, and keeps its own books. */
export function lndNode({ open }: Pick<LndWorld, 'open'>): NodeChoice {
  return {
    books: 'elsewhere',
    accountKeys: undefined,
    check() {},
    async open({ db }) {
      const node = open()
      return { node, accounts: await openNodeAccounts(db, node.accounts) }
    },
  }
}
