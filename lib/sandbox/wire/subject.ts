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

/** One look at the index for each hash, and none at the other quotes of the user. */
const RECEIVERS = statement<{ payment_hash: string; receiver_address: string }>(
  'receivers_of_payments',
  `select payment_hash, receiver_address from unnest($2::text[]) hash cross join lateral (
     select user_id, payment_hash, receiver_address from quotes where payment_hash = hash limit 1) quote
   where user_id = $1`,
)

/** The addresses that the user has paid or was quoted for, by payment hash. */
export async function receiversOf(
  db: Database,
  username: string,
  paymentHashes: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  if (paymentHashes.length === 0) return {}
  const rows = await db.query(RECEIVERS, [username, paymentHashes])
  return Object.fromEntries(rows.map(({ payment_hash: hash, receiver_address: address }) => [hash, address]))
}

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
