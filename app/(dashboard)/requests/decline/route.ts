import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/page-answers'
import { personForm } from '@/lib/platform/http/page-route'
import { declineRequest } from '@/lib/uma/uma-invoices/requests'

/** Says no to a request for payment; whoever asked is not told. */
export const POST = personForm(async ({ deps, username, form }) => {
  const id = form.get('id') ?? ''
  if (!/^\d{1,18}$/.test(id)) return seeOther('/requests')
  try {
    await declineRequest(deps.db, username, BigInt(id))
  } catch (error) {
    if (isVaspError(error) && error.status === 404) return seeOther('/requests')
    throw error
  }
  return seeOther('/requests?done=declined')
})
