import { createInvoice } from '../../invoices/create'
import { walletForBitcoin } from '../../ledger/accounts'
import { commandRoute } from '../route'
import { MakeInvoiceBody, TransactionReply } from '../schemas'

/** `POST /invoice`: credits the SAT wallet where there is one, else the default wallet. */
export const makeInvoiceRoute = commandRoute({
  command: 'make_invoice',
  accepts: ['connection'],
  body: MakeInvoiceBody,
  reply: TransactionReply,
  run: async ({ deps, caller, body }) => {
    const description = body.description ?? undefined
    const descriptionHash = body.description_hash?.toLowerCase()
    const made = await createInvoice(deps, {
      username: caller.username,
      wallet: walletForBitcoin(caller.wallets),
      amountMsats: BigInt(body.amount),
      description,
      descriptionHash,
      expirySeconds: body.expiry ?? undefined,
    })
    return {
      type: 'incoming' as const,
      payment_hash: made.paymentHash,
      amount: body.amount,
      fees_paid: 0,
      invoice: made.invoice,
      description: description ?? null,
      description_hash: descriptionHash ?? null,
      preimage: null,
      created_at: made.createdAtSeconds,
      expires_at: made.expiresAtSeconds,
      settled_at: null,
      metadata: null,
    }
  },
})
