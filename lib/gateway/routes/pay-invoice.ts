import { payInvoice } from '../../payments/pay-invoice'
import { STILL_PENDING, paymentReply } from '../payment-reply'
import { commandRoute } from '../route'
import { PayInvoiceBody, PaymentReply } from '../schemas'

/** `POST /payments/bolt11`. The amount for the budget is told for the code now asked, from the rates of the payment. */
export const payInvoiceRoute = commandRoute({
  command: 'pay_invoice',
  accepts: ['connection'],
  body: PayInvoiceBody,
  reply: PaymentReply,
  invoiceOf: (body) => body.invoice,
  refusals: { '504': STILL_PENDING },
  run: async ({ deps, caller, body }) => {
    const result = await payInvoice(deps, {
      username: caller.username,
      connectionId: caller.tokenId,
      wallets: caller.wallets,
      invoice: body.invoice,
      own: caller.invoice,
      amountMsats: body.amount == null ? undefined : BigInt(body.amount),
    })
    return paymentReply(deps, result, body.budget_currency_code ?? 'SAT')
  },
})
