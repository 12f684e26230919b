import { statement } from '../platform/db/statement'
import { applyOutcome } from './settle'
import {
  OPEN_COLUMNS,
  toOpenPayment,
  toOutgoing,
  toTracked,
  type Ended,
  type OpenPayment,
  type OpenRow,
  type WorkerPorts,
} from './open-payment'

/**
 * How long a worker acts on a payment before another may take it; renewed while it does. A killed one's payments are taken
 * up after this.
 */
export const LEASE = '6 seconds'

const SENDING = statement<{ id: bigint }>(
  'mark_sending',
  `update payments set state = 'sending', lease_expires_at = now() + interval '${LEASE}'
         where id = $1 and state = 'held' and lease_owner = $2 returning id`,
)

/**
 * Nobody acts on it until it is asked about again, the later the longer it waits: 1 to 5 seconds. An answer that is not "not
 * found" ends a row of those, whoever has the claim by now.
 */
const LATER = statement(
  'try_later',
  `update payments
         set lease_owner = case when lease_owner = $2 then 'nobody' else lease_owner end,
             lease_expires_at = case when lease_owner = $2
               then now() + least(interval '5 seconds', greatest(interval '1 second', (now() - created_at) / 10))
               else lease_expires_at end,
             not_found_at = case when $3 then not_found_at end, not_found_by = case when $3 then not_found_by end
         where id = $1 and state = 'sending' and (lease_owner = $2 or not $3)`,
)

/**
 * Sends a payment whose hold is committed and which this worker has claimed: `sending` is committed, then the node is
 * called, with no transaction open, then its word is booked. Undefined when there is no final word yet, or when somebody
 * else has taken the payment.
 */
export async function carry(ports: WorkerPorts, payment: OpenPayment, worker: string): Promise<Ended | undefined> {
  const [marked] = await ports.db.query(SENDING, [payment.id, worker])
  if (marked === undefined) return undefined
  ports.marked.add(payment.id)
  const outcome = await ports.node.send(toOutgoing(payment))
  const ended = await applyOutcome(ports, payment, outcome)
  if (ended === undefined) await ports.db.query(LATER, [payment.id, worker, false])
  return ended
}

const AT_ONCE = 20
const CLAIM = statement<OpenRow & { state: 'held' | 'sending'; stale: boolean }>(
  'claim_payments',
  `update payments p set lease_owner = $1, lease_expires_at = now() + interval '${LEASE}'
         from (select id from payments
               where state in ('held', 'sending') and node_key is not null and node_key <> all ($3::text[]) and lease_expires_at < now()
               order by lease_expires_at limit ${AT_ONCE} for update skip locked) due
         where p.id = due.id
         returning ${OPEN_COLUMNS}, p.state, p.created_at < now() - make_interval(secs => $2) as stale`,
)

export interface ClaimedPayment {
  readonly payment: OpenPayment
  readonly state: 'held' | 'sending'
  /** Older than anybody waits for. */
  readonly stale: boolean
}

/** Takes up to twenty open payments on which nobody acts any more; those of the busy accounts stay where they are. */
export async function claimDue(
  ports: Pick<WorkerPorts, 'db'>,
  worker: string,
  waitSeconds: number,
  busyAccounts: readonly string[],
): Promise<ClaimedPayment[]> {
  const rows = await ports.db.query(CLAIM, [worker, waitSeconds, busyAccounts])
  return rows.map((row) => ({ payment: toOpenPayment(row), state: row.state, stale: row.stale }))
}

/**
 * Goes on with a payment whose worker is gone. One that was not sent yet is sent, unless whoever asked has long given up or
 * payments are stopped; of one that may have been sent the node is asked.
 */
export async function resume(ports: WorkerPorts, claimed: ClaimedPayment, worker: string): Promise<Ended | undefined> {
  const { payment, state, stale } = claimed
  if (state === 'held')
    return stale || ports.audit.state() === 'failed'
      ? giveUpUnsent(ports, payment, worker)
      : carry(ports, payment, worker)
  const outcome = await ports.node.track(toTracked(payment))
  const isUnfound = outcome.kind === 'not-found'
  if (isUnfound && (await isGoneForGood(ports, payment, outcome.saidBy))) return giveUpUnfound(ports, payment)
  const ended = await applyOutcome(ports, payment, outcome)
  if (ended === undefined) await ports.db.query(LATER, [payment.id, worker, isUnfound])
  return ended
}

const GIVE_UP_UNSENT = statement<{ outcome: string }>(
  'give_up_unsent',
  `with unsent as materialized (select id from payments where id = $1 and state = 'held' and lease_owner = $2 for update)
         select fail_payment(id, 'never-sent') as outcome from unsent`,
)

/**
 * Under the row's lock, because this very worker may be about to send it: a hold whose answer came late is in its hands
 * twice, under one name.
 */
async function giveUpUnsent({ db }: WorkerPorts, payment: OpenPayment, worker: string): Promise<Ended | undefined> {
  const [row] = await db.query(GIVE_UP_UNSENT, [payment.id, worker])
  return row === undefined ? undefined : { state: 'failed', failure: 'never-sent' }
}

const NOT_FOUND = statement<{ gone: boolean }>(
  'note_not_found',
  `update payments set not_found_at = case when not_found_by = $2 then not_found_at else now() end, not_found_by = $2
         where id = $1 and state = 'sending'
         returning not_found_at <= now() - interval '60 seconds' as gone`,
)

/**
 * A node that knows nothing of a payment has to say so twice, a minute apart by the database's clock, before that is believed:
 * the same node, and nothing else in between.
 */
async function isGoneForGood({ db }: WorkerPorts, payment: OpenPayment, saidBy: string): Promise<boolean> {
  const [row] = await db.query(NOT_FOUND, [payment.id, saidBy])
  return row?.gone === true
}

const GIVE_UP_UNFOUND = statement<{ outcome: string }>(
  'give_up_unfound',
  `with unfound as materialized (
           select id from payments
           where id = $1 and state = 'sending' and not_found_at <= now() - interval '60 seconds' for update)
         select fail_payment(id, 'never-sent') as outcome from unfound`,
)

/** Under the row's lock: another answer may have come this moment, and then nothing is given back. */
async function giveUpUnfound({ db }: WorkerPorts, payment: OpenPayment): Promise<Ended | undefined> {
  const [row] = await db.query(GIVE_UP_UNFOUND, [payment.id])
  return row === undefined ? undefined : { state: 'failed', failure: 'never-sent' }
}

const RENEW = statement(
  'renew_claims',
  `update payments
         set lease_expires_at = case when lease_owner = $2 then now() + interval '${LEASE}' else lease_expires_at end,
             not_found_at = case when id = any($3::bigint[]) then null else not_found_at end,
             not_found_by = case when id = any($3::bigint[]) then null else not_found_by end
         where id = any($1::bigint[]) and state in ('held', 'sending')
           and (lease_owner = $2 and lease_expires_at < now() + interval '3 seconds'
                or id = any($3::bigint[]) and not_found_at is not null)`,
)

/**
 * A worker that lives keeps what it acts on. Where another one has taken over one of its sends, that the node does not find
 * it says nothing while the send runs.
 */
export async function renewClaims(
  { db }: Pick<WorkerPorts, 'db'>,
  ids: readonly bigint[],
  worker: string,
  sends: readonly bigint[],
): Promise<void> {
  if (ids.length > 0) await db.query(RENEW, [ids, worker, sends])
}
