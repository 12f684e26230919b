import { statement } from '../platform/db/statement'
import { OPEN_COLUMNS, toTracked, type Ended, type OpenPayment, type WorkerPorts } from './open-payment'
import { recordAnswer } from './payment-events'
import { LEASE, RETRY_LATER, sendPayment } from './send'
import { finalize } from './settle'

const MAX_CLAIMED = 20
const CLAIM = statement<OpenPayment & { state: 'held' | 'sending'; stale: boolean }>(
  'claim_payments',
  `update payments p set lease_owner = $1, lease_expires_at = now() + interval '${LEASE}'
         from (select id from payments
               where state in ('held', 'sending') and node_key is not null and node_key <> all ($3::text[]) and lease_expires_at < now()
               order by lease_expires_at limit ${MAX_CLAIMED} for update skip locked) due
         where p.id = due.id
         returning ${OPEN_COLUMNS}, p.state, p.created_at < now() - make_interval(secs => $2) as stale`,
)

export interface ClaimedPayment {
  readonly payment: OpenPayment
  readonly state: 'held' | 'sending'
  /** The payment is older than the longest wait of a request. */
  readonly stale: boolean
}

/** Leases up to twenty open payments whose lease has ended, except those of busy accounts. */
export async function claimDue(
  ports: Pick<WorkerPorts, 'db'>,
  worker: string,
  waitSeconds: number,
  busyAccounts: readonly string[],
): Promise<ClaimedPayment[]> {
  const rows = await ports.db.query(CLAIM, [worker, waitSeconds, busyAccounts])
  return rows.map((row) => ({ payment: row, state: row.state, stale: row.stale }))
}

/**
 * Continues a payment that no worker is working on. A held payment is sent, unless it is stale or the books are broken: then it
 * fails. For a payment that may have been sent, the node is asked about the outcome.
 */
export async function recoverPayment(
  ports: WorkerPorts,
  claimed: ClaimedPayment,
  worker: string,
): Promise<Ended | undefined> {
  const { payment, state, stale } = claimed
  if (state === 'held')
    return stale || ports.audit.state() === 'failed'
      ? failUnsent(ports, payment, worker)
      : sendPayment(ports, payment, worker)
  const answered = ports.node.track(toTracked(payment))
  const outcome = await recordAnswer(ports, 'result requested from the node', payment, answered)
  const isNotFound = outcome.kind === 'not-found'
  if (isNotFound && (await isLost(ports, payment, outcome.saidBy))) return failNotFound(ports, payment)
  const ended = await finalize(ports, payment, outcome)
  if (ended === undefined) await ports.db.query(RETRY_LATER, [payment.id, worker, isNotFound])
  return ended
}

const FAIL_UNSENT = statement<{ outcome: string }>(
  'give_up_unsent',
  `with unsent as materialized (select id from payments where id = $1 and state = 'held' and lease_owner = $2 for update)
         select fail_payment(id, 'never-sent') as outcome from unsent`,
)

/** Locks the row first: this worker may be about to send the same payment, if the statement that held its money was answered late. */
async function failUnsent({ db }: WorkerPorts, payment: OpenPayment, worker: string): Promise<Ended | undefined> {
  const [row] = await db.query(FAIL_UNSENT, [payment.id, worker])
  return row === undefined ? undefined : { state: 'failed', failure: 'never-sent' }
}

const NOT_FOUND = statement<{ gone: boolean }>(
  'note_not_found',
  `update payments set not_found_at = case when not_found_by = $2 then not_found_at else now() end, not_found_by = $2
         where id = $1 and state = 'sending'
         returning not_found_at <= now() - interval '60 seconds' as gone`,
)

/**
 * A payment counts as lost when the same node reports twice, at least a minute apart by the database's clock, that it has no
 * record of the payment, and gives no other answer in between.
 */
async function isLost({ db }: WorkerPorts, payment: OpenPayment, saidBy: string): Promise<boolean> {
  const [row] = await db.query(NOT_FOUND, [payment.id, saidBy])
  return row?.gone === true
}

const FAIL_NOT_FOUND = statement<{ outcome: string }>(
  'give_up_unfound',
  `with unfound as materialized (
           select id from payments
           where id = $1 and state = 'sending' and not_found_at <= now() - interval '60 seconds' for update)
         select fail_payment(id, 'never-sent') as outcome from unfound`,
)

/** Locks the row first: if another answer came in the meantime, the hold stays. */
async function failNotFound({ db }: WorkerPorts, payment: OpenPayment): Promise<Ended | undefined> {
  const [row] = await db.query(FAIL_NOT_FOUND, [payment.id])
  return row === undefined ? undefined : { state: 'failed', failure: 'never-sent' }
}

const RENEW_LEASES = statement(
  'renew_leases',
  `update payments
         set lease_expires_at = case when lease_owner = $2 then now() + interval '${LEASE}' else lease_expires_at end,
             not_found_at = case when id = any($3::bigint[]) then null else not_found_at end,
             not_found_by = case when id = any($3::bigint[]) then null else not_found_by end
         where id = any($1::bigint[]) and state in ('held', 'sending')
           and (lease_owner = $2 and lease_expires_at < now() + interval '3 seconds'
                or id = any($3::bigint[]) and not_found_at is not null)`,
)

/**
 * Renews the leases of payments that this worker is working on. `sends`: those it is sending. While a send runs, "not found"
 * says nothing about the outcome, so an earlier "not found" is cleared.
 */
export async function renewLeases(
  { db }: Pick<WorkerPorts, 'db'>,
  ids: readonly bigint[],
  worker: string,
  sends: readonly bigint[],
): Promise<void> {
  if (ids.length > 0) await db.query(RENEW_LEASES, [ids, worker, sends])
}
