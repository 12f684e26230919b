import { listTestUsers, type UserCard } from '../../accounts/users'
import type { Application } from '../../backend/application'
import { findInvoice } from '../../invoices/queries'
import { readWallets, type WalletAccount } from '../../ledger/accounts'
import { msatsInLedgerUnits } from '../../money/ledger-units'
import { payInvoice } from '../../payments/pay-invoice'
import { isVaspError } from '../../platform/errors'
import { USUAL_MSATS } from './test-payer'

interface TestPayer {
  readonly user: UserCard
  readonly wallets: readonly WalletAccount[]
  /** What an invoice without an amount is paid with. */
  readonly amountMsats: bigint
}

/** The first test user other than `username` with a wallet that covers the amount. Undefined without the sandbox tools. */
export async function findTestPayer(
  { db, rates, settings }: Pick<Application, 'db' | 'rates' | 'settings'>,
  username: string,
  asked: bigint | null,
): Promise<TestPayer | undefined> {
  if (!settings.sandboxTools || settings.printedPassword === undefined) return undefined
  const { rateOf } = rates.current()
  const amountMsats = asked ?? USUAL_MSATS
  for (const user of await listTestUsers({ db, settings })) {
    if (user.username === username) continue
    const wallets = await readWallets(db, user.username)
    if (wallets.some(({ code, available }) => available >= msatsInLedgerUnits(amountMsats, code, 'up', rateOf)))
      return { user, wallets, amountMsats }
  }
  return undefined
}

/**
 * Pays the user's own invoice from a wallet of another test user, as that user's dashboard would.
 * @returns `ended`: the invoice is paid, expired or being paid, which its page shows. `no-payer`: no test user has the money.
 * Undefined: the user has no such invoice.
 */
export async function payAsTestUser(
  app: Application,
  username: string,
  paymentHash: string,
): Promise<'ended' | 'no-payer' | 'refused' | undefined> {
  const found = await findInvoice(app.db, username, paymentHash)
  if (found === null || found.invoice === null) return undefined
  const { invoice, state, amountMsats: asked } = found
  if (state !== 'open') return 'ended'
  const payer = await findTestPayer(app, username, asked)
  if (payer === undefined) return 'no-payer'
  const { user, wallets, amountMsats } = payer
  try {
    await payInvoice(app, { username: user.username, connectionId: null, wallets, invoice, amountMsats })
    return 'ended'
  } catch (error) {
    if (!isVaspError(error) || ![400, 429].includes(error.status)) throw error
    // The other of two clicks may have paid it.
    return (await findInvoice(app.db, username, paymentHash))?.state === 'open' ? 'refused' : 'ended'
  }
}
