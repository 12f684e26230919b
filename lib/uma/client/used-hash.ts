import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'

const USED = statement<{ used: boolean }>(
  'uma_hash_is_used',
  `select exists (select 1 from invoices where payment_hash = $1) or exists (select 1 from quotes where payment_hash = $1)
            or exists (select 1 from payments where payment_hash = $1) as used`,
)

/**
 * Whether this VASP already knows a payment hash. The preimage may be known too, so a second payment would prove
 * nothing.
 */
export async function isHashUsed(db: Database, paymentHash: string): Promise<boolean> {
  const [row] = await db.query(USED, [paymentHash])
  return row?.used ?? true
}
