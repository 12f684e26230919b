import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import type { Breach } from './invariants'

const UNACKNOWLEDGED = statement<{ payment_id: bigint }>(
  'unacknowledged_losses',
  `select e.payment_id from journal_entries e
         where e.kind = 'loss' and not exists (select from loss_acknowledgements a where a.payment_id = e.payment_id)
         order by e.payment_id limit 20`,
)

/**
 * Payments that succeeded after they were refunded, and that no operator has acknowledged. Each loss is a journal entry, so
 * every process on the database finds it, even after a restart.
 * @throws Error when the database does not answer.
 */
export async function readLosses(db: Database): Promise<Breach[]> {
  const rows = await db.query(UNACKNOWLEDGED)
  return rows.map(({ payment_id: id }) => lossOf(id))
}

/** A loss as the audit reports it. */
export function lossOf(paymentId: bigint): Breach {
  return {
    invariant: 'N7',
    detail: `payment ${paymentId} succeeded after it was refunded: acknowledge ${paymentId} after reviewing it`,
  }
}

const ACKNOWLEDGE = statement<{ payment_id: bigint }>(
  'acknowledge_losses',
  `insert into loss_acknowledgements (payment_id)
         select payment_id from journal_entries where kind = 'loss' and payment_id = any($1::bigint[])
         on conflict do nothing returning payment_id`,
)

/**
 * Acknowledges losses. Returns the ids of those that were not acknowledged before.
 * @throws Error when the database does not answer.
 */
export async function acknowledgeLosses(db: Database, paymentIds: readonly bigint[]): Promise<bigint[]> {
  const rows = await db.query(ACKNOWLEDGE, [paymentIds])
  return rows.map(({ payment_id: id }) => id)
}
