import { statement } from '../platform/db/statement'
import { refusing } from '../ledger/entry'
import { readWallets, type WalletAccount } from '../ledger/accounts'
import type { Deps } from '../deps'
import { VaspError } from '../platform/errors'
import { convert } from '../money/convert'
import type { CurrencyCode } from '../money/currencies'
import { toLedgerUnits } from '../money/ledger-units'

/** What one pull of the faucet gives, and up to which balance it gives at all: about 100 and 10,000 US dollars. */
const FAUCET_CENTS = 10_000n
const FULL_CENTS = 1_000_000n

const PULL = statement<{ given: boolean }>('pull_faucet', `select pull_faucet($1, $2, $3, $4) as given`)

/**
 * Gives a sandbox's person money out of nothing, from the faucet account. The same request sent twice gives once.
 * @throws VaspError 404 where the sandbox tools are off or the person has no such wallet, 403 when the wallet is full.
 */
export async function pullFaucet(deps: Deps, username: string, code: CurrencyCode, requestId: string): Promise<void> {
  if (!deps.settings.sandboxTools) throw new VaspError(404, 'NOT_FOUND', 'There is no faucet here.')
  const wallet = await requireWallet(deps, username, code)
  const full = toLedgerUnits(convert(FULL_CENTS, 'USD', code, 'down'), code)
  const amount = toLedgerUnits(convert(FAUCET_CENTS, 'USD', code, 'down'), code)
  const params = [`faucet:${username}:${requestId}`, wallet.walletId, amount, full]
  const [row] = await refusing(() => deps.db.query(PULL, params))
  if (row?.given !== true) {
    throw new VaspError(403, 'RESTRICTED', 'The faucet gives nothing to a wallet that is this full.')
  }
}

export async function requireWallet(
  deps: Pick<Deps, 'db'>,
  username: string,
  code: CurrencyCode,
): Promise<WalletAccount> {
  const wallet = (await readWallets(deps.db, username)).find((each) => each.code === code)
  if (wallet === undefined) throw new VaspError(404, 'NOT_FOUND', `There is no wallet in ${code}.`)
  return wallet
}
