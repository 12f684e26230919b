import type { Database, Statement } from '../db/database'

/** What is to be told to another VASP about a payment that is over. */
export interface DueCallback {
  readonly id: bigint
  readonly paymentHash: string
  readonly url: string
  readonly amountMsats: bigint
  /** This one included. */
  readonly attempts: number
}

/**
 * Payments of quotes and invoices of pay requests that were settled since then and are not in the queue yet. Nothing in
 * the payment itself knows of callbacks, so nothing of it can fail by them.
 */
const ENQUEUE: Statement = {
  name: 'enqueue_uma_callbacks',
  text: `insert into uma_callbacks_out (payment_hash, direction, url, amount_msats)
         select p.payment_hash, 'sent', q.peer_callback, p.amount_msats
         from payments p join quotes q on q.payment_hash = p.payment_hash and q.user_id = p.user_id
         where p.settled_at > now() - $1::int * interval '1 second' and q.peer_callback is not null
         union all
         select i.payment_hash, 'received', r.peer_callback, i.received_msats
         from invoices i join uma_pay_requests r on r.invoice_id = i.id
         where i.settled_at > now() - $1::int * interval '1 second' and r.peer_callback is not null
         on conflict (payment_hash, direction) do nothing`,
}

/** 10 s, 40 s, then four times as long each time: the last of eight tries comes after eleven hours or so. */
const MOST_ATTEMPTS = 8
/** First words before later tries. Whoever claims has until the next try to tell how it went; another instance takes it up then. */
const CLAIM: Statement = {
  name: 'claim_uma_callbacks',
  text: `update uma_callbacks_out set attempts = attempts + 1,
                next_attempt_at = now() + interval '10 seconds' * power(4, attempts)
         where id in (select id from uma_callbacks_out
                      where delivered_at is null and given_up_at is null and next_attempt_at <= now()
                      order by attempts, next_attempt_at limit $1 for update skip locked)
         returning id, payment_hash, url, amount_msats, attempts`,
}
const DELIVERED: Statement = {
  name: 'uma_callback_delivered',
  text: `update uma_callbacks_out set delivered_at = now(), last_error = null where id = any ($1::bigint[])`,
}
const FAILED: Statement = {
  name: 'uma_callback_failed',
  text: `update uma_callbacks_out set last_error = $2, given_up_at = case when attempts >= ${MOST_ATTEMPTS} then now() end
         where id = $1 and delivered_at is null`,
}

export async function enqueueSettled(db: Database, sinceSeconds: number): Promise<void> {
  await db.query(ENQUEUE, [sinceSeconds])
}

/** Takes so many that are due, the ones with the fewest tries first. */
export async function claimDue(db: Database, most: number): Promise<DueCallback[]> {
  const rows = await db.query<{
    id: bigint
    payment_hash: string
    url: string
    amount_msats: bigint
    attempts: number
  }>(CLAIM, [most])
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
