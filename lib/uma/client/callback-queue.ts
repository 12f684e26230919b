import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'

/** A callback to another VASP about a settled payment. */
export interface DueCallback {
  readonly id: bigint
  readonly paymentHash: string
  /** The user of this VASP who paid or was paid. */
  readonly username: string | null
  readonly url: string
  readonly amountMsats: bigint
  /** Includes the current attempt. */
  readonly attempts: number
}

/** Rounded up to the next millisecond: the database stores microseconds, which a Date cannot hold. */
const NOW = statement<{ now: Date }>(
  'uma_callbacks_now',
  `select date_trunc('milliseconds', now()) + interval '1 millisecond' as now`,
)

const notQueued = (hash: string, direction: string): string =>
  `not exists (select from uma_callback_outbox o where o.payment_hash = ${hash} and o.direction = '${direction}' offset 0)`

/**
 * Queues one callback for each payment of a quote and each invoice of a pay request that was settled in a time span.
 * Payments do not depend on callbacks, so a callback cannot make a payment fail. `offset 0` keeps each lookup on its
 * index, so that a short time span is read quickly whatever the tables hold, even before their first `analyze`.
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

/** Waits 10 s after the first attempt and four times as long after each later one. The last attempt comes after fifteen hours. */
const MAX_ATTEMPTS = 8
/**
 * First attempts are claimed before later ones. The instance that claims a callback has until the next attempt to record the
 * result; then another instance takes it over.
 */
const CLAIM = statement<{
  id: bigint
  payment_hash: string
  user_id: string | null
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
         returning id, payment_hash, url, amount_msats, attempts,
                   case direction
                     when 'sent' then (select p.user_id from payments p
                                       where p.payment_hash = uma_callback_outbox.payment_hash and p.state = 'succeeded' limit 1)
                     else (select i.user_id from invoices i where i.payment_hash = uma_callback_outbox.payment_hash limit 1)
                   end as user_id`,
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

/** The database's time, which also dates settlements, so no payment settled so far has a later time. */
export async function databaseNow(db: Database): Promise<Date> {
  const [row] = await db.query(NOW)
  if (row === undefined) throw new Error('the database returned no time')
  return row.now
}

/** Queues the payments that were settled at or after `from` and before `until`, by the database's clock. */
export async function enqueueSettled(db: Database, from: Date, until: Date): Promise<void> {
  await db.query(ENQUEUE, [from.toISOString(), until.toISOString()])
}

/** Claims up to `most` due callbacks, those with the fewest attempts first. */
export async function claimDue(db: Database, most: number): Promise<DueCallback[]> {
  const rows = await db.query(CLAIM, [most])
  return rows.map(({ id, payment_hash: paymentHash, user_id: username, url, amount_msats: amountMsats, attempts }) => ({
    id,
    paymentHash,
    username,
    url,
    amountMsats,
    attempts,
  }))
}

export async function markDelivered(db: Database, ids: readonly bigint[]): Promise<void> {
  await db.query(DELIVERED, [ids])
}

/** Records why a callback was not accepted, and gives up after the last attempt. `claimDue` has scheduled the next attempt. */
export async function markFailed(db: Database, id: bigint, problem: string): Promise<void> {
  await db.query(FAILED, [id, problem.slice(0, 200)])
}
