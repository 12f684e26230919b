import { z } from 'zod'
import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/responses'
import { umaInvoiceForm } from '@/lib/web/form-handler'

const Decline = z.object({
  id: z
    .string()
    .regex(/^\d{1,18}$/)
    .transform(BigInt),
})

/** Declines a request for payment. The user who sent it is not notified. */
export const POST = umaInvoiceForm(Decline, async ({ app, umaInvoices, username, fields }) => {
  try {
    await umaInvoices.declineRequest(app.db, username, fields.id)
  } catch (error) {
    if (isVaspError(error) && error.status === 404) return seeOther('/requests')
    throw error
  }
  app.events.record({ kind: 'payment_request', name: 'payment request declined', userId: username })
  return seeOther('/requests?done=declined')
})
