import type { CallContext, Payment } from 'uma-auth-vasp'
import { isNodeKey } from '../lightning/node-key'
import type { CurrencyCode } from '../money/currencies'
import { budgetAmount } from '../payments/debit'
import type { PaidAs } from '../payments/errors'
import { payInvoice } from '../payments/pay-invoice'
import { payKeysend } from '../payments/pay-keysend'
import { awaitResult } from '../payments/service'
import type { Paid, PendingPayment } from '../payments/types'
import { badInput } from '../platform/errors'
import type { Application } from './application'
import type { MakeMethods } from './methods'

export const paymentMethods: MakeMethods<'payInvoice' | 'payKeysend'> = (app) => ({
  async payInvoice({ username, tokenId, wallets }, { invoice, amountMsats, budgetCurrencyCode = 'SAT' }, context) {
    const request = { username, connectionId: tokenId, wallets, invoice, amountMsats }
    return toPayment(
      app,
      await awaitPayment(app, await payInvoice(app, request), 'invoice', context),
      budgetCurrencyCode,
    )
  },

  async payKeysend({ username, tokenId, wallets }, { pubkey, budgetCurrencyCode = 'SAT', ...input }, context) {
    if (!isNodeKey(pubkey)) throw badInput('pubkey is missing or not valid.')
    const idempotencyKey = context.idempotencyKey ?? null
    const request = { ...input, username, connectionId: tokenId, wallets, destination: pubkey, idempotencyKey }
    return toPayment(
      app,
      await awaitPayment(app, await payKeysend(app, request), 'keysend', context),
      budgetCurrencyCode,
    )
  },
})

/**
 * Waits for a payment in progress without occupying the user's slot. Logs the request id with the payment id: every later log line
 * of the payment, on any instance, has the payment id. @throws VaspError as `awaitResult` does.
 */
export async function awaitPayment(
  app: Application,
  result: Paid | PendingPayment,
  of: PaidAs,
  { slot, requestId }: Pick<CallContext, 'slot' | 'requestId'>,
): Promise<Paid> {
  if ('preimage' in result) return result
  slot.release()
  app.log.info({ requestId, payment: String(result.paymentId) }, 'the call waits for its payment')
  return awaitResult(app, result, of)
}

/** Adds the amount in the budget currency of this call, at the rates stored with the payment. */
export async function toPayment({ rates }: Application, paid: Paid, budgetCode: CurrencyCode): Promise<Payment> {
  const snapshot = await rates.ofSnapshot(paid.rateSnapshotId)
  return {
    preimage: paid.preimage,
    totalBudgetAmount: budgetAmount(paid.debit, paid.walletCode, budgetCode, snapshot),
  }
}
