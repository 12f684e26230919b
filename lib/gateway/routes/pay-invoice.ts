import { toWireInteger } from '../../money/convert'
import { budgetAmount } from '../../payments/budget'
import { payInvoice } from '../../payments/pay-invoice'
import { commandRoute } from '../route'
import { PayInvoiceBody, PayInvoiceReply } from '../schemas'

/** `POST /payments/bolt11`. The amount for the budget is told for the code now asked, from the rates of the payment. */
export const payInvoiceRoute = commandRoute({
  command: 'pay_invoice',
  accepts: ['connection'],
  body: PayInvoiceBody,
  reply: PayInvoiceReply,
  run: async ({ deps, caller, body }) => {
    const paid = await payInvoice(deps, {
      username: caller.username,
      connectionId: caller.tokenId,
      wallets: caller.wallets,
      invoice: body.invoice,
      amountMsats: body.amount == null ? undefined : BigInt(body.amount),
    })
    const rates = await deps.rates.ofSnapshot(paid.rateSnapshotId)
    const total = budgetAmount(paid.debit, paid.walletCode, body.budget_currency_code ?? 'SAT', rates)
    return { preimage: paid.preimage, total_budget_currency_amount: toWireInteger(total) }
  },
})
