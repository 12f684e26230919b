import type { Database, Statement } from '../db/database'

const USED: Statement = {
  name: 'uma_hash_is_used',
  text: `select exists (select 1 from invoices where payment_hash = $1) or exists (select 1 from quotes where payment_hash = $1)
             or exists (select 1 from payments where payment_hash = $1) as used`,
}

/** Whether a payment hash is known here already: its preimage may be too, so it buys nothing a second time. */
export async function isHashUsed(db: Database, paymentHash: string): Promise<boolean> {
  const [row] = await db.query<{ used: boolean }>(USED, [paymentHash])
  return row?.used ?? true
}
