import type { EventRecorder } from '../../events/recorder'
import { formatUnits } from '../../money/format'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import { VaspError } from '../../platform/errors'
import { umaFault } from '../fault'
import { AGREED, openRequestCountOf, openRequestsOf } from '../open-requests'
import { registrableDomainSql } from '../registrable-domain'
import type { InvoiceCurrency, UmaInvoice } from './codec'

/**
 * Maximum number of open requests from one registrable domain to one user. Requests of the last day count even when
 * they have ended, so that short-lived requests do not evade the limit.
 */
const MAX_OPEN = 50

/** The requests of one domain to one user, as many as matter for the limit. */
const ofDomain = (which: string): string =>
  `select from uma_requests
   where user_id = $1 and ${registrableDomainSql('receiver_address')} = ${registrableDomainSql('$2')} and ${which}
   limit ${MAX_OPEN}`
const KEEP = statement<{ id: bigint }>(
  'keep_uma_request',
  `insert into uma_requests (user_id, receiver_address, uuid, encoded, amount, currency, expires_at)
         select $1, $2, $3::uuid, $4, $5, $6::jsonb, to_timestamp($7::bigint)
         where (select count(*) from (${ofDomain("created_at > now() - interval '1 day'")}) recent)
             + (select count(*) from (${ofDomain("state = 'open' and expires_at > now() and created_at <= now() - interval '1 day'")}) older)
             < ${MAX_OPEN}
         on conflict (receiver_address, uuid) do nothing
         returning id`,
)
const IS_KEPT = statement<{ kept: number }>(
  'uma_request_is_kept',
  `select 1 as kept from uma_requests where receiver_address = $1 and uuid = $2::uuid`,
)

/** Saves a checked request. The same request is saved only once. @throws UmaFault 429 when too many are open. */
export async function saveRequest(
  { db, events }: { readonly db: Database; readonly events: Pick<EventRecorder, 'record'> },
  { username, invoice, encoded }: { readonly username: string; readonly invoice: UmaInvoice; readonly encoded: string },
): Promise<void> {
  const { receiver, uuid, amount, currency, expiresAtSeconds } = invoice
  const address = receiver.toLowerCase()
  const params = [username, address, uuid, encoded, amount, JSON.stringify(currency), expiresAtSeconds]
  if ((await db.query(KEEP, params)).length > 0) {
    events.record({
      kind: 'payment_request',
      fromOutside: true,
      name: 'payment request received',
      userId: username,
      summary: `${formatUnits(amount, currency.decimals)} ${currency.code} for ${address}`,
    })
    return
  }
  if ((await db.query(IS_KEPT, [address, uuid])).length > 0) return
  throw umaFault(
    'VELOCITY_LIMIT_EXCEEDED',
    'This user has received too many requests from this VASP. Try again later.',
    {
      status: 429,
      headers: { 'Retry-After': '3600' },
    },
  )
}

/** A request to pay, as the payer sees it. */
export interface UmaRequestCard {
  readonly id: bigint
  readonly receiverAddress: string
  readonly uuid: string
  readonly encoded: string
  /** Smallest units of the currency. */
  readonly amount: bigint
  readonly currency: InvoiceCurrency
  readonly state: 'open' | 'paid' | 'declined' | 'expired'
  readonly paymentHash: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The newest of any state. The lists read no more than these and the open ones. */
const MAX_LISTED = 50
const LISTED = `select id from (${openRequestsOf('$1')}) open
    union select id from (select id from uma_requests where user_id between $1 and $1 order by user_id, id desc limit ${MAX_LISTED}) newest`
const CARD = `select r.id, r.receiver_address as "receiverAddress", r.uuid::text as uuid, r.encoded, r.amount, r.currency,
                     r.created_at as "createdAt", r.expires_at as "expiresAt", agreed.payment_hash as "paymentHash",
                     case when agreed.payment_hash is not null then 'paid' when r.state = 'declined' then 'declined'
                          when r.expires_at <= now() then 'expired' else 'open' end as state
              from uma_requests r left join lateral (${AGREED}) agreed on true`
const LIST = statement<UmaRequestCard>(
  'list_uma_requests',
  `${CARD} where r.id = any (array(${LISTED}))
         order by agreed.payment_hash is null and r.state = 'open' and r.expires_at > now() desc, r.id desc limit ${MAX_LISTED}`,
)
/** The user's latest requests: first the open ones, then the others, both with the newest first. */
export async function listRequests(db: Database, username: string): Promise<UmaRequestCard[]> {
  return db.query(LIST, [username])
}

const COUNT = statement<{ open: bigint }>(
  'count_open_uma_requests',
  `select open.count as open from (${openRequestCountOf('$1')}) open`,
)
/** The number of requests that wait for the user's answer, 99 at most. */
export async function countOpenRequests(db: Database, username: string): Promise<number> {
  const [row] = await db.query(COUNT, [username])
  return Number(row?.open ?? 0)
}

const DECLINE = statement<{ id: bigint }>(
  'decline_uma_request',
  `update uma_requests r set state = 'declined' where r.user_id = $1 and r.id = $2 and not exists (${AGREED}) returning id`,
)

/** Declines a request; may be repeated. @throws VaspError 404 when the user has no such request, or has paid it. */
export async function declineRequest(db: Database, username: string, id: bigint): Promise<void> {
  if ((await db.query(DECLINE, [username, id])).length === 0)
    throw new VaspError(404, 'NOT_FOUND', 'No open request has this id.')
}
