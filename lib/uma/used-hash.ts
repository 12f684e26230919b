import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { besideNonce, type Reading } from './nonces'

const QUESTION = `select $1::text as payment_hash,
          exists (select 1 from invoices where payment_hash = $1) or exists (select 1 from quotes where payment_hash = $1)
            or exists (select 1 from payments where payment_hash = $1) as used`
const USED = statement<UsedHash>('uma_hash_is_used', QUESTION)
const USED_BESIDE_NONCE = statement<UsedHash>('uma_hash_is_used_beside_nonce', besideNonce(QUESTION, 'used'))

export interface UsedHash {
  readonly payment_hash: string
  readonly used: boolean
}

/** Whether a payment hash is known here already: its preimage may be too, so it buys nothing a second time. */
export async function isHashUsed(db: Database, paymentHash: string): Promise<boolean> {
  const [row] = await db.query(USED, [paymentHash])
  return row?.used ?? true
}

/** The same with the nonce of the answer that brings the hash. */
export function readingHash(paymentHash: string): Reading<UsedHash> {
  return { statement: USED_BESIDE_NONCE, params: [paymentHash], none: () => false }
}
