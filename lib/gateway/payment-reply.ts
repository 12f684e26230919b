import type { z } from 'zod'
import type { Deps } from '../deps'
import type { CurrencyCode } from '../money/currencies'
import { toWireInteger } from '../money/convert'
import type { Paid } from '../payments/bill'
import { budgetAmount } from '../payments/budget'
import { isUnderway, type Underway } from '../payments/earlier'
import { endOf } from '../payments/outcome'
import type { Later } from './route'
import type { PaymentReply } from './schemas'

type Reply = z.output<typeof PaymentReply>

/** What the document says of every payment. */
export const STILL_PENDING = 'The payment is on its way and its outcome is not known yet; its money is held'

/** What a gateway is told of a payment; one that is under way is waited for. */
export async function paymentReply(
  deps: Deps,
  result: Paid | Underway,
  budgetCode: CurrencyCode,
): Promise<Reply | Later<Reply>> {
  if (isUnderway(result)) return { whenDone: async () => replyOf(deps, await endOf(deps, result), budgetCode) }
  return replyOf(deps, result, budgetCode)
}

/** The same for a payment that has succeeded. */
export async function replyOf(deps: Deps, paid: Paid, budgetCode: CurrencyCode): Promise<Reply> {
  const rates = await deps.rates.ofSnapshot(paid.rateSnapshotId)
  const total = budgetAmount(paid.debit, paid.walletCode, budgetCode, rates)
  return { preimage: paid.preimage, total_budget_currency_amount: toWireInteger(total) }
}
