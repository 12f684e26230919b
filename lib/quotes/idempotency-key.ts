import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { badInput } from '../platform/errors'

/** An Idempotency-Key of a connection, with the request to which the key belongs. */
export interface PaymentKey {
  readonly connectionId: string
  readonly key: string
  /** All parameters of the payment, as one text. */
  readonly fingerprint: string
}

const FIND = statement<{ request_fingerprint: string; payment_hash: string; is_over: boolean }>(
  'find_address_payment_key',
  `select k.request_fingerprint, k.payment_hash,
                q.expires_at <= now() and not exists (
                  select from payments p where p.payment_hash = k.payment_hash and p.state <> 'failed'
                ) as is_over
         from address_payment_keys k join quotes q on q.payment_hash = k.payment_hash
         where k.connection_id = $1 and k.idempotency_key = $2`,
)

/**
 * The payment hash of a key's quote. Undefined for a new key, and when the quote has expired unpaid.
 * @throws VaspError 400 OTHER when the key was used for another payment.
 */
export async function findQuoteOfKey(
  db: Database,
  { connectionId, key, fingerprint }: PaymentKey,
): Promise<string | undefined> {
  const [row] = await db.query(FIND, [connectionId, key])
  if (row !== undefined && row.request_fingerprint !== fingerprint) throw usedBefore()
  return row === undefined || row.is_over ? undefined : row.payment_hash
}

const TAKE = statement<{ paid_hash: string }>(
  'claim_address_payment_key',
  `select paid_hash from claim_address_payment_key($1, $2, $3, $4)`,
)

/**
 * Stores the key's quote and returns the quote's payment hash, or the hash that a copy of the request stored first.
 * @throws VaspError 400 OTHER when the key was used for another payment.
 */
export async function claimKey(
  db: Database,
  { connectionId, key, fingerprint }: PaymentKey,
  hash: string,
): Promise<string> {
  const [row] = await db.query(TAKE, [connectionId, key, fingerprint, hash])
  if (row === undefined) throw usedBefore()
  return row.paid_hash
}

function usedBefore(): Error {
  return badInput('This Idempotency-Key was used for another payment.')
}
