import { z } from 'zod'
import { seeOther } from '@/lib/platform/http/responses'
import { executeQuote } from '@/lib/quotes/service'
import { userForm } from '@/lib/web/form-handler'
import { paymentError } from '../errors'
import { payAndAwait } from '../pay-and-await'

const PayQuote = z.object({ payment_hash: z.string().regex(/^[0-9a-f]{64}$/) })

/** Pays a quote that the user has read. */
export const POST = userForm(
  PayQuote,
  async ({ app, username, fields: { payment_hash: paymentHash } }) => {
    const refused = await payAndAwait(
      app,
      async () => (await executeQuote(app, { username, connectionId: null, paymentHash })).result,
    )
    return refused === undefined ? seeOther(`/wallets/sent/${paymentHash}`) : paymentError(refused)
  },
  ({ payment_hash: paymentHash }) => `/wallets/quotes/${paymentHash}`,
)
