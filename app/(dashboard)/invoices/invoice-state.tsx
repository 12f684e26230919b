import type { InvoiceState } from '@/lib/invoices/queries'

const STATES = {
  open: ['', '○ Waiting for payment'],
  paid: ['text-green', '✓ Paid'],
  expired: ['text-red', '× Expired'],
} as const satisfies Record<InvoiceState, readonly [string, string]>

/** A mark and a word, so that the state does not depend on colour alone. */
export function InvoiceStateMark({ state }: { readonly state: InvoiceState }) {
  const [colour, words] = STATES[state]
  return <span className={colour}>{words}</span>
}
