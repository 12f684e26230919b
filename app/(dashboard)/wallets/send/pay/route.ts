import { isVaspError, type VaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/page-answers'
import { personForm } from '@/lib/platform/http/page-route'
import { isPending } from '@/lib/payments/service'
import { executeQuote } from '@/lib/quotes/service'

const PATIENCE_MS = 3_000

/** Pays a quote that the person has read. */
export const POST = personForm(async ({ deps, username, form }) => {
  const paymentHash = form.get('payment_hash') ?? ''
  if (!/^[0-9a-f]{64}$/.test(paymentHash)) return seeOther('/wallets/send')
  try {
    const { result } = await executeQuote(deps, { username, connectionId: null, paymentHash })
    // Most end at once, and the next page need not begin with a wait.
    if (isPending(result)) await deps.paymentWorker.waitForEnd(result.paymentId, PATIENCE_MS)
  } catch (error) {
    if (isVaspError(error) && [400, 429].includes(error.status))
      return seeOther(`/wallets/quotes/${paymentHash}?error=${problemOf(error)}`)
    // Nobody's quote: its page says so.
    if (isVaspError(error) && error.status === 404) return seeOther(`/wallets/quotes/${paymentHash}`)
    throw error
  }
  return seeOther(`/wallets/sent/${paymentHash}`)
})

/** Anything else is said by the page's own reading of the quote: expired, paid. */
function problemOf(error: VaspError): string {
  if (error.code === 'INSUFFICIENT_BALANCE') return 'insufficient'
  if (error.code === 'RATE_LIMITED') return 'many'
  return error.code === 'PAYMENT_FAILED' ? 'route' : 'failed'
}
