import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'

/** What an event is about, with the page that shows it. */
export interface Subject {
  readonly kind: 'payment' | 'invoice' | 'quote'
  readonly href: string
}

const FIND = statement<{ payment: boolean; invoice: boolean; quote: boolean }>(
  'subject_of_event',
  `select exists (select from payments where user_id = $1 and payment_hash = $2) as payment,
          exists (select from invoices where user_id = $1 and payment_hash = $2) as invoice,
          exists (select from quotes where user_id = $1 and payment_hash = $2) as quote`,
)

/** The user's own payment, invoice and quote with this hash. A quote that has a payment is shown by its payment. */
export async function subjectsOf(db: Database, username: string, paymentHash: string): Promise<Subject[]> {
  const [row] = await db.query(FIND, [username, paymentHash])
  if (row === undefined) return []
  const { payment, invoice, quote } = row
  return [
    ...(payment ? [{ kind: 'payment', href: `/wallets/sent/${paymentHash}` } as const] : []),
    ...(quote && !payment ? [{ kind: 'quote', href: `/wallets/quotes/${paymentHash}` } as const] : []),
    ...(invoice ? [{ kind: 'invoice', href: `/invoices/${paymentHash}` } as const] : []),
  ]
}
