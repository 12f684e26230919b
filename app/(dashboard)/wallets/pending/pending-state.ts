import type { PaymentCard } from '@/lib/payments/queries'

export const UNDER_WAY_URL = '/wallets/pending'

/** Which payments are under way, and how far: a page that shows them is old when this is another. */
export function underWayState(payments: readonly Pick<PaymentCard, 'paymentHash' | 'sent'>[]): string {
  return payments.map(({ paymentHash, sent }) => `${paymentHash.slice(0, 16)}${sent ? '+' : ''}`).join(' ')
}
