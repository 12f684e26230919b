import { z } from 'zod'
import { readWallets } from '@/lib/ledger/accounts'
import { decodeInvoice } from '@/lib/lightning/bolt11'
import { readAmount } from '@/lib/money/format'
import { payInvoice } from '@/lib/payments/pay-invoice'
import { seeOther } from '@/lib/platform/http/responses'
import { userForm } from '@/lib/web/form-handler'
import { paymentError } from '../errors'
import { payAndAwait } from '../pay-and-await'

const Confirm = z.object({
  invoice: z.string().trim(),
  /** Absent when the invoice has an amount. */
  amount: z.string().optional(),
  wallet: z.string(),
  /** The maximum charge that the user saw, in ledger units. */
  debit: z
    .string()
    .regex(/^\d{1,18}$/)
    .transform(BigInt),
})

/** Pays an invoice only from the wallet and at the price that the user saw. */
export const POST = userForm(
  Confirm,
  async ({ app, username, fields: { invoice, amount, wallet, debit: maxDebit } }) => {
    const decoding = decodeInvoice(invoice, app.node.identity.network)
    // The page decodes the invoice again and shows what is wrong.
    if (!decoding.ok) return { code: 'no-route' }
    const amountMsats = amount === undefined ? undefined : readAmount(amount, 'SAT')
    if (typeof amountMsats === 'string') return { field: 'amount', code: amountMsats }
    const refused = await payAndAwait(app, async () => {
      const wallets = (await readWallets(app.db, username)).filter(({ code }) => code === wallet)
      return payInvoice(app, { username, connectionId: null, wallets, invoice, amountMsats, maxDebit })
    })
    return refused === undefined ? seeOther(`/wallets/sent/${decoding.invoice.paymentHash}`) : paymentError(refused)
  },
  '/wallets/send',
)
