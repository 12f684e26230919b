import { formatAmount } from '@/lib/money/format'
import type { PaymentCard } from '@/lib/payments/queries'

/** The send page with the invoice of a payment that failed; undefined where it cannot be paid any more, and for a keysend. */
export function againHref({ invoice, amountMsats, failure, expired }: PaymentCard): string | undefined {
  if (invoice === null || expired || failure === 'expired' || failure === 'paid') return undefined
  const amount = formatAmount(amountMsats, 'SAT')
  // Only whole satoshis can be typed there; an invoice with an amount needs none.
  return `/wallets/send?${new URLSearchParams({ invoice, ...(amount.includes('.') ? {} : { amount }) })}`
}
