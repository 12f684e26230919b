import { VaspError } from '../../errors'
import { transactionByHash } from '../../transactions/queries'
import { commandRoute } from '../route'
import { PaymentHashParams, TransactionReply } from '../schemas'
import { toTransactionReply } from '../transaction-reply'

/** `GET /invoices/{payment_hash}`: the user's own invoices and payments; a stranger's is as unknown as any other hash. */
export const lookupInvoiceRoute = commandRoute({
  command: 'lookup_invoice',
  accepts: ['connection'],
  params: PaymentHashParams,
  reply: TransactionReply,
  run: async ({ deps, caller, params }) => {
    const transaction = await transactionByHash(deps, caller.username, params.payment_hash)
    if (transaction === undefined)
      throw new VaspError(404, 'NOT_FOUND', 'There is no invoice or payment with this hash.')
    return toTransactionReply(transaction)
  },
})
