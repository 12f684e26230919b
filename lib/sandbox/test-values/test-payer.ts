import type { CreatedInvoice, InvoiceRequest } from '../../invoices/service'
import { readWallets } from '../../ledger/accounts'
import type { PeerAnswer } from '../../lightning/simulated-node/messages'
import { rateOf } from '../../money/currencies'
import { msatsInLedgerUnits } from '../../money/ledger-units'
import type { Database } from '../../platform/db/database'
import type { Log } from '../../platform/log'
import { faucetLimits } from '../../wallets/service'
import type { PayableInvoice } from './test-node'

/** Maximum number of invoices that await payment in this process. After a restart, they are not paid. */
const MAX_WAITING = 1_000
const MAX_WAITING_OF_USER = 20

/** The payment for an invoice without an amount: 1,000 satoshis. */
export const USUAL_MSATS = 1_000_000n

export interface TestPayer {
  /** Pays a user's own invoice after `seconds`, once and within the faucet's limits. */
  payLater(request: InvoiceRequest, invoice: CreatedInvoice, seconds: number): void
}

interface Parts {
  readonly db: Database
  readonly log: Log
  readonly pay: (invoice: PayableInvoice) => Promise<PeerAnswer>
}

/** Pays the invoices whose memo requests a test payment. */
export function makeTestPayer({ db, log, pay }: Parts): TestPayer {
  /** The number of waiting invoices of each user. */
  const waiting = new Map<string, number>()
  let total = 0

  function change(username: string, by: 1 | -1): void {
    total += by
    const left = (waiting.get(username) ?? 0) + by
    if (left === 0) waiting.delete(username)
    else waiting.set(username, left)
  }

  /**
   * One payment adds at most the amount of one faucet request, and only to a wallet that the faucet would still fill. Amounts
   * are converted at the listed rates, as the faucet's limits are.
   */
  async function fits({ username, wallet }: InvoiceRequest, amountMsats: bigint): Promise<boolean> {
    const found = (await readWallets(db, username)).find(({ walletId }) => walletId === wallet.walletId)
    if (found === undefined) return false
    const units = msatsInLedgerUnits(amountMsats, found.code, 'down', rateOf)
    const { amount, full } = faucetLimits(found.code)
    return units <= amount && found.available + found.held + units <= full
  }

  async function payNow(request: InvoiceRequest, { invoice, paymentHash }: CreatedInvoice): Promise<void> {
    const { amountMsats = USUAL_MSATS } = request
    if (!(await fits(request, amountMsats)))
      return log.info({ paymentHash }, 'the test payer does not pay an invoice above the limits of the faucet')
    const answer = await pay({ invoice, paymentHash, amountMsats })
    if (answer.state !== 'received') log.info({ paymentHash, failure: answer.failure }, 'a test payment was refused')
  }

  return {
    payLater(request, invoice, seconds) {
      const { username } = request
      if (total >= MAX_WAITING || (waiting.get(username) ?? 0) >= MAX_WAITING_OF_USER) return
      change(username, 1)
      setTimeout(() => {
        change(username, -1)
        payNow(request, invoice).catch((error: unknown) =>
          log.warn({ error, paymentHash: invoice.paymentHash }, 'the test payer could not pay'),
        )
      }, seconds * 1_000).unref()
    },
  }
}
