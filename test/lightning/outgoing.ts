import type { Keysend, OutgoingPayment } from '@/lib/lightning/node'

/** The invoice that a payment pays; empty for a keysend. */
export function invoiceIn({ what }: OutgoingPayment): string {
  return what.kind === 'invoice' ? what.invoice : ''
}

export function keysendIn({ what }: OutgoingPayment): Keysend | undefined {
  return what.kind === 'keysend' ? { preimage: what.preimage, records: what.records } : undefined
}
