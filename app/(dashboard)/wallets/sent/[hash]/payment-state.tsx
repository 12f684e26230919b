import { failureMessage } from '@/lib/payments/errors'
import type { PaymentCard } from '@/lib/payments/queries'
import { againHref } from './pay-again'
import { waitsFor } from '@/lib/ui/waits-for'

const STATES = {
  succeeded: ['text-green', '✓ Paid'],
  failed: ['text-red', '× Failed'],
  pending: ['', '○ Under way'],
} as const satisfies Record<PaymentCard['state'], readonly [string, string]>

interface Props {
  readonly payment: PaymentCard
  /** Where a failed one may be tried again, when that is not the invoice itself. */
  readonly againAt?: string | undefined
}

/** How a payment stands, what it waits for or why it failed, and what to do. One element, so that its change is read out. */
export function PaymentState({ payment, againAt }: Props) {
  const [colour, word] = STATES[payment.state]
  const again = againAt ?? againHref(payment)
  return (
    <div aria-live="polite" className="mt-3 max-w-2xl">
      <p className={`text-lg ${colour}`}>{word}</p>
      {payment.state === 'pending' ? (
        <>
          <p className="mt-1">
            {waitsFor(payment)} Your money is held until then: nothing is lost, and nothing is sent twice.
          </p>
          <p className="label mt-1">This page looks by itself; you may leave it.</p>
        </>
      ) : null}
      {payment.state === 'failed' ? (
        <>
          <p className="mt-1">{failureMessage(payment.failure)}</p>
          {again === undefined ? null : (
            <p className="mt-3">
              <a className="button button-main" href={again}>
                Try again
              </a>
            </p>
          )}
        </>
      ) : null}
    </div>
  )
}
