import { z } from 'zod'
import { CURRENCY_CODES } from '@/lib/money/currencies'
import { readAmount } from '@/lib/money/format'
import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/responses'
import { exchange } from '@/lib/wallets/service'
import { RequestId, userForm } from '@/lib/web/form-handler'

const Convert = z.object({
  from: z.enum(CURRENCY_CODES),
  to: z.enum(CURRENCY_CODES),
  amount: z.string().default(''),
  request_id: RequestId,
})

export const POST = userForm(
  Convert,
  async ({ app, username, fields: { from, to, amount: typed, request_id: requestId } }) => {
    if (from === to) return { field: 'to', code: 'same' }
    const amount = readAmount(typed, from)
    if (typeof amount === 'string') return { field: 'amount', code: amount }
    try {
      await exchange(app, { username, from, to, amount, requestId })
    } catch (error) {
      if (!isVaspError(error) || error.status !== 400) throw error
      if (error.options.isIdReused === true) return { code: 'sent-before' }
      return { field: 'amount', code: error.code === 'INSUFFICIENT_BALANCE' ? 'too-much' : 'invalid' }
    }
    return seeOther(`/wallets/${to}?done=converted`)
  },
  ({ from }) => `/wallets/${from}`,
)
