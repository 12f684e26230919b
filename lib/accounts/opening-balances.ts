import type { Database } from '../platform/db/database'
import { readWallets, type HouseAccounts } from '../ledger/accounts'
import { postEntry } from '../ledger/entry'
import type { CurrencyCode } from '../money/currencies'
import { toLedgerUnits } from '../money/ledger-units'

/** Opening balances of the seeded users, in smallest units (whole satoshis). */
const OPENING: readonly (readonly [string, CurrencyCode, bigint])[] = [
  ['alice', 'USD', 124_050n],
  ['alice', 'EUR', 86_000n],
  ['alice', 'SAT', 300_000n],
  ['bob', 'SAT', 250_000n],
  ['yuki', 'JPY', 15_000n],
  ['khalid', 'KWD', 75_000n],
]

/** Posts each opening balance once: its idempotency key contains the user and the currency. */
export async function seedOpeningBalances(db: Database, house: HouseAccounts): Promise<void> {
  for (const [username, code, amount] of OPENING) {
    const wallet = (await readWallets(db, username)).find((each) => each.code === code)
    if (wallet === undefined) continue
    const units = toLedgerUnits(amount, code)
    await postEntry(db, {
      kind: 'opening',
      key: `opening:${username}:${code}`,
      lines: [
        { accountId: house('faucet', code), amount: -units },
        { accountId: wallet.accountId, amount: units },
      ],
    })
  }
}
