import { formatAmount } from '@/lib/money/format'
import { failureMessage, paidAs } from '@/lib/payments/errors'
import type { PaymentCard } from '@/lib/payments/queries'
import { waitsFor } from '@/lib/web/words'

const STATES = {
  succeeded: ['text-green', '✓ Paid'],
  failed: ['text-red', '× Failed'],
  pending: ['', '○ In progress'],
} as const satisfies Record<PaymentCard['state'], readonly [string, string]>

interface Props {
  readonly payment: PaymentCard
  /** The page for retrying a failed payment, when that is not the invoice's page. */
  readonly againAt?: string | undefined
}

/** The state of a payment, the reason, and what to do. One element, so that a screen reader announces its changes. */
export function PaymentState({ payment, againAt }: Props) {
  const [colour, word] = STATES[payment.state]
  const again = againAt ?? againHref(payment)
  const of = paidAs({ ...payment, isQuoted: payment.quoteId !== null })
  return (
    <div aria-live="polite" className="mt-3 max-w-2xl">
      <p className={`text-lg ${colour}`} data-live={word}>
        {word}
      </p>
      {payment.state === 'pending' ? (
        <>
          <p className="mt-1">
            {waitsFor(payment)} The amount is reserved until then. It cannot be lost or sent twice.
          </p>
          <p className="label mt-1">This page updates by itself. You can leave it.</p>
        </>
      ) : null}
      {payment.state === 'failed' ? (
        <>
          <p className="mt-1">{failureMessage(payment.failure, of, payment.expired)}</p>
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

/** The send page with the invoice of a failed payment; undefined for a keysend and when it can no longer be paid. */
function againHref({ invoice, amountMsats, failure, expired }: PaymentCard): string | undefined {
  if (invoice === null || expired || failure === 'expired' || failure === 'paid') return undefined
  const amount = formatAmount(amountMsats, 'SAT')
  // Only whole satoshis can be typed there; an invoice with an amount needs none.
  return `/wallets/send?${new URLSearchParams({ invoice, ...(amount.includes('.') ? {} : { amount }) })}`
}
