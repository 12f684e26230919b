import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'

/** What is to be told to another VASP about a payment that is over. */
export interface DueCallback {
  readonly id: bigint
  readonly paymentHash: string
  readonly url: string
  readonly amountMsats: bigint
  /** This one included. */
  readonly attempts: number
}

/** Up to the next millisecond: the database counts in microseconds, which a Date does not hold. */
const NOW = statement<{ now: Date }>(
  'uma_callbacks_now',
  `select date_trunc('milliseconds', now()) + interval '1 millisecond' as now`,
)

const notQueued = (hash: string, direction: string): string =>
  `not exists (select from uma_callback_outbox o where o.payment_hash = ${hash} and o.direction = '${direction}' offset 0)`

/**
 * Payments of quotes and invoices of pay requests that were settled within a time and are not in the queue yet. Nothing in
 * the payment itself knows of callbacks, so nothing of it can fail by them. `offset 0` keeps each look-up on its index: a
 * short time is looked at whatever the tables hold, also before they were ever analysed.
 */
const ENQUEUE = statement(
  'enqueue_uma_callbacks',
  `insert into uma_callback_outbox (payment_hash, direction, url, amount_msats)
         select p.payment_hash, 'sent', q.remote_callback_url, p.amount_msats
         from payments p cross join lateral (
           select remote_callback_url from quotes where payment_hash = p.payment_hash and user_id = p.user_id offset 0) q
         where p.settled_at >= $1 and p.settled_at < $2 and q.remote_callback_url is not null
           and ${notQueued('p.payment_hash', 'sent')}
         union all
         select i.payment_hash, 'received', r.remote_callback_url, i.received_msats
         from invoices i cross join lateral (select remote_callback_url from uma_pay_requests where invoice_id = i.id offset 0) r
         where i.settled_at >= $1 and i.settled_at < $2 and r.remote_callback_url is not null
           and ${notQueued('i.payment_hash', 'received')}
         on conflict (payment_hash, direction) do nothing`,
)

/** 10 s, 40 s, then four times as long each time: the last of eight tries comes fifteen hours after the first. */
const MAX_ATTEMPTS = 8
/** First words before later tries. Whoever claims has until the next try to tell how it went; another instance takes it up then. */
const CLAIM = statement<{
  id: bigint
  payment_hash: string
  url: string
  amount_msats: bigint
  attempts: number
}>(
  'claim_uma_callbacks',
  `update uma_callback_outbox set attempts = attempts + 1,
                next_attempt_at = now() + interval '10 seconds' * power(4, attempts)
         where id in (select id from uma_callback_outbox
                      where delivered_at is null and given_up_at is null and next_attempt_at <= now()
                      order by attempts, next_attempt_at limit $1 for update skip locked)
         returning id, payment_hash, url, amount_msats, attempts`,
)
const DELIVERED = statement(
  'uma_callback_delivered',
  `update uma_callback_outbox set delivered_at = now(), last_error = null where id = any ($1::bigint[])`,
)
const FAILED = statement(
  'uma_callback_failed',
  `update uma_callback_outbox set last_error = $2, given_up_at = case when attempts >= ${MAX_ATTEMPTS} then now() end
         where id = $1 and delivered_at is null`,
)

/** By the database's clock, which says when something was settled: nothing that is settled already is later. */
export async function databaseNow(db: Database): Promise<Date> {
  const [row] = await db.query(NOW)
  if (row === undefined) throw new Error('the database has no time')
  return row.now
}

/** What was settled from `from` on and before `until`, by the database's clock. */
export async function enqueueSettled(db: Database, from: Date, until: Date): Promise<void> {
  await db.query(ENQUEUE, [from.toISOString(), until.toISOString()])
}

/** Takes so many that are due, the ones with the fewest tries first. */
export async function claimDue(db: Database, most: number): Promise<DueCallback[]> {
  const rows = await db.query(CLAIM, [most])
  return rows.map(({ id, payment_hash: paymentHash, url, amount_msats: amountMsats, attempts }) => ({
    id,
    paymentHash,
    url,
    amountMsats,
    attempts,
  }))
}

/** The other VASPs have heard these. */
export async function markDelivered(db: Database, ids: readonly bigint[]): Promise<void> {
  await db.query(DELIVERED, [ids])
}

/** This one was not heard: it is tried again later, or given up after the last try. */
export async function markFailed(db: Database, id: bigint, problem: string): Promise<void> {
  await db.query(FAILED, [id, problem.slice(0, 200)])
}
