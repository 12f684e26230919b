import { z } from 'zod'
import { readWallets } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { readUnits } from '@/lib/money/format'
import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/responses'
import { createQuote } from '@/lib/quotes/create'
import { priceProblem } from '@/lib/quotes/errors'
import { resolveReceiver } from '@/lib/quotes/resolve-receiver'
import { isCommentFor } from '@/lib/uma/client/comment'
import { userForm } from '@/lib/web/form-handler'
import { priceError } from '../errors'

const MAX_ADDRESS_LENGTH = 400

const QuoteForm = z.object({
  /** The receiver's address, under the field name of the text pasted on the page. */
  invoice: z.string().trim().max(MAX_ADDRESS_LENGTH),
  amount: z.string().default(''),
  /** The side that the amount belongs to. */
  side: z.enum(['sending', 'receiving']).catch('receiving'),
  wallet: z.string(),
  currency: z.string(),
  comment: z.string().trim().optional(),
})

/** Gets a quote and shows it. Nothing is reserved. */
export const POST = userForm(
  QuoteForm,
  async ({ app, username, fields }) => {
    const wallet = (await readWallets(app.db, username)).find(({ code }) => code === fields.wallet)
    if (wallet === undefined) return { field: 'wallet', code: 'unknown' }
    const found = await resolveReceiver(app, username, fields.invoice)
    // The page looks the address up again and shows what is wrong.
    if (found.kind === 'problem') return { code: 'receiver' }
    const { receiver } = found
    const currency = receiver.currencies.find(({ code }) => code === fields.currency)
    if (currency === undefined) return { field: 'currency', code: 'unknown' }
    const { decimals } = fields.side === 'sending' ? currencyOf(wallet.code) : currency
    const lockedAmount = readUnits(fields.amount, decimals)
    if (typeof lockedAmount === 'string') return { field: 'amount', code: lockedAmount }
    const comment = receiver.commentLength === 0 ? undefined : fields.comment
    if (comment !== undefined && !isCommentFor(receiver, comment)) return { field: 'comment', code: 'long' }
    try {
      const { paymentHash } = await app.limits.runOutbound(username, () =>
        createQuote(app, receiver, {
          username,
          connectionId: null,
          wallet,
          receivingCode: currency.code,
          lockedSide: fields.side,
          lockedAmount,
          comment,
        }),
      )
      return seeOther(`/wallets/quotes/${paymentHash}`)
    } catch (error) {
      if (isVaspError(error) && error.status < 500)
        return priceError(priceProblem(error, 'price'), error.options.quoted)
      throw error
    }
  },
  '/wallets/send',
)
