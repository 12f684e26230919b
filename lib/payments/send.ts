import { statement } from '../platform/db/statement'
import { toOutgoing, type Ended, type OpenPayment, type WorkerPorts } from './open-payment'
import { recordAnswer } from './payment-events'
import { finalize } from './settle'

/**
 * The duration of a lease: a worker's exclusive right to a payment, renewed while the worker is busy with the payment. After a
 * crash, another worker takes over when the lease ends.
 */
export const LEASE = '6 seconds'

const SENDING = statement<{ id: bigint }>(
  'mark_sending',
  `update payments set state = 'sending', lease_expires_at = now() + interval '${LEASE}'
         where id = $1 and state = 'held' and lease_owner = $2 returning id`,
)

/**
 * Ends this worker's lease. A worker asks the node again after 1 to 5 seconds: after a tenth of the payment's age. Every answer
 * except "not found" deletes an earlier "not found", even when another worker holds the lease.
 */
export const RETRY_LATER = statement(
  'retry_later',
  `update payments
         set lease_owner = case when lease_owner = $2 then 'nobody' else lease_owner end,
             lease_expires_at = case when lease_owner = $2
               then now() + least(interval '5 seconds', greatest(interval '1 second', (now() - created_at) / 10))
               else lease_expires_at end,
             not_found_at = case when $3 then not_found_at end, not_found_by = case when $3 then not_found_by end
         where id = $1 and state = 'sending' and (lease_owner = $2 or not $3)`,
)

/**
 * Sends a payment whose hold is committed and whose lease this worker holds: commits `sending`, calls the node outside any
 * transaction, and books the node's answer. Undefined when the outcome is not final, or when another worker has taken the payment.
 */
export async function sendPayment(
  ports: WorkerPorts,
  payment: OpenPayment,
  worker: string,
): Promise<Ended | undefined> {
  const [marked] = await ports.db.query(SENDING, [payment.id, worker])
  if (marked === undefined) return undefined
  ports.marked.add(payment.id)
  const { id, paymentHash } = payment
  ports.log.info({ payment: String(id), paymentHash }, 'a payment is given to the node')
  const answered = ports.node.send(toOutgoing(payment))
  const outcome = await recordAnswer(ports, 'payment given to the node', payment, answered)
  const ended = await finalize(ports, payment, outcome)
  if (ended === undefined) await ports.db.query(RETRY_LATER, [payment.id, worker, false])
  return ended
}
