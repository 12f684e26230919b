import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { payAsTestUser } from '@/lib/sandbox/test-values/pay-as'

const PayInvoice = z.object({ payment_hash: z.string().regex(/^[0-9a-f]{64}$/) })

/** Pays the user's own invoice from a wallet of another test user. The page shows the outcome, also to the second of two clicks. */
export const POST = sandboxForm(
  PayInvoice,
  async ({ app, username, fields: { payment_hash: paymentHash } }) => {
    const outcome = await payAsTestUser(app, username, paymentHash)
    if (outcome === undefined) return plainText(404, 'You have no such invoice. Nothing was paid.')
    return outcome === 'ended' ? seeOther(`/invoices/${paymentHash}`) : { code: outcome }
  },
  ({ payment_hash: paymentHash }) => `/invoices/${paymentHash}`,
)
