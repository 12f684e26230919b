import { z } from 'zod'
import { CURRENCY_CODES } from '@/lib/money/currencies'
import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/responses'
import { pullFaucet } from '@/lib/wallets/service'
import { RequestId, userForm } from '@/lib/web/form-handler'

const Faucet = z.object({ currency: z.enum(CURRENCY_CODES), request_id: RequestId })

export const POST = userForm(
  Faucet,
  async ({ app, username, fields: { currency, request_id: requestId } }) => {
    try {
      await pullFaucet(app, username, currency, requestId)
    } catch (error) {
      if (isVaspError(error) && error.code === 'RESTRICTED') return { code: 'faucet-limit' }
      if (isVaspError(error) && error.options.isIdReused === true) return { code: 'sent-before' }
      throw error
    }
    return seeOther(`/wallets/${currency}?done=faucet`)
  },
  ({ currency }) => `/wallets/${currency}`,
)
