import { z } from 'zod'
import { CURRENCY_CODES } from '@/lib/money/currencies'
import { formatAmount, readAmount } from '@/lib/money/format'
import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/responses'
import { priceConversion } from '@/lib/wallets/service'
import { userForm } from '@/lib/web/form-handler'
import { conversionProblem } from '../conversion-problem'
import { previewAddress } from '../preview-address'

const Convert = z.object({
  from: z.enum(CURRENCY_CODES),
  to: z.enum(CURRENCY_CODES),
  amount: z.string().default(''),
})

/** Prices a conversion and shows it. Nothing is reserved. */
export const POST = userForm(
  Convert,
  async ({ app, username, fields: { from, to, amount: typed } }) => {
    if (from === to) return { field: 'to', code: 'same' }
    const amount = readAmount(typed, from)
    if (typeof amount === 'string') return { field: 'amount', code: amount }
    try {
      const price = await priceConversion(app, { username, from, to, amount })
      if (price.from.available < amount) return { field: 'amount', code: 'too-much' }
      return seeOther(
        previewAddress(app, { from, to, amount: formatAmount(amount, from), gives: price.arrives, id: app.ids.uuid() }),
      )
    } catch (error) {
      if (isVaspError(error) && error.status === 400) return conversionProblem(error)
      throw error
    }
  },
  ({ from }) => `/wallets/${from}`,
)
