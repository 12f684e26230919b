import type { PaymentCard } from '../payments/queries'
import { nodeInWords } from '@/components/node-name'

/** What a payment under way is waiting for, in one sentence. */
export function waitsFor({ peer, sent }: Pick<PaymentCard, 'peer' | 'sent'>): string {
  if (peer === null) return 'We wait for its outcome.'
  return sent
    ? `We asked ${nodeInWords(peer)} and wait for its word.`
    : `It is about to be sent to ${nodeInWords(peer)}.`
}
