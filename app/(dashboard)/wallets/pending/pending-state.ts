import type { PaymentCard } from '@/lib/payments/queries'

/** Identifies the pending payments and their states. A page that shows them is out of date when this text changes. */
export function pendingState(payments: readonly Pick<PaymentCard, 'paymentHash' | 'sent'>[]): string {
  return payments.map(({ paymentHash, sent }) => `${paymentHash.slice(0, 16)}${sent ? '+' : ''}`).join(' ')
}
