/**
 * The SQL of open requests for money, for the statements of `lib/uma/invoices` and of every page's frame. It is here because a process
 * with `UMA_INVOICES=off` does not load that folder.
 */

/**
 * The payment of a request `r`: any payment by the user through a quote for that UMA invoice. Failed payments moved no
 * money and do not count.
 */
export const AGREED = `select p.payment_hash
    from (select payment_hash, user_id, receiver_address from quotes where uma_invoice_uuid = r.uuid offset 0) q
    cross join lateral (select payment_hash, user_id from payments
                        where payment_hash = q.payment_hash and state <> 'failed' offset 0) p
    where q.receiver_address = r.receiver_address and q.user_id = r.user_id and p.user_id = r.user_id limit 1`

const MAX_OPEN = 200
const MAX_COUNTED = 99

/** The open requests of a user, those that expire last first. A list reads no more than these. `user`: SQL. */
export const openRequestsOf = (user: string): string =>
  `select * from uma_requests where user_id between ${user} and ${user} and state = 'open' and expires_at > now()
   order by user_id, expires_at desc limit ${MAX_OPEN}`

/** The number of requests that wait for the user's answer, 99 at most. `user`: SQL. */
export const openRequestCountOf = (user: string): string =>
  `select count(*) from (select from (${openRequestsOf(user)}) r where not exists (${AGREED}) limit ${MAX_COUNTED}) counted`
