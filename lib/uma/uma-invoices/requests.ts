import type { Database, Statement } from '../../db/database'
import type { Deps } from '../../deps'
import { VaspError } from '../../errors'
import { parseAddress } from '../address'
import { moneyHasMoved } from '../dealings'
import { umaFault } from '../fault'
import { siteOfAddress } from '../sites'
import type { InvoiceCurrency, UmaInvoice } from './text'

/**
 * Open requests that people of one site, or of a VASP with which money has moved, may have with one of ours, those of the
 * last day counted with them: one that ends in a second would otherwise make room for the next.
 */
const MOST_OPEN = 50

const keep = (name: string, countedTogether: (address: string) => string): Statement => ({
  name,
  text: `insert into uma_requests (user_id, receiver_address, uuid, encoded, amount, currency, expires_at)
         select $1, $2, $3::uuid, $4, $5, $6::jsonb, to_timestamp($7::bigint)
         where (select count(*) from uma_requests
                where user_id = $1
                  and (state = 'open' and expires_at > now() or created_at > now() - interval '1 day')
                  and ${countedTogether('receiver_address')} = ${countedTogether('$2')}) < ${MOST_OPEN}
         on conflict (receiver_address, uuid) do nothing
         returning id`,
})
const KEEP = keep('keep_uma_request', siteOfAddress)
const KEEP_OF_KNOWN = keep('keep_uma_request_of_known', (address) => `split_part(${address}, '@', 2)`)
const IS_KEPT: Statement = {
  name: 'uma_request_is_kept',
  text: `select 1 from uma_requests where receiver_address = $1 and uuid = $2::uuid`,
}

/** Keeps a request that was checked, once however often it comes. @throws UmaFault 429 when too many are open. */
export async function keepRequest(
  db: Database,
  { username, invoice, encoded }: { readonly username: string; readonly invoice: UmaInvoice; readonly encoded: string },
): Promise<void> {
  const { receiver, uuid, amount, currency, expiresAtSeconds } = invoice
  const address = receiver.toLowerCase()
  const params = [username, address, uuid, encoded, amount, JSON.stringify(currency), expiresAtSeconds]
  if ((await db.query(KEEP, params)).length > 0) return
  if ((await db.query(IS_KEPT, [address, uuid])).length > 0) return
  // Who else has a name below its site does not matter to a VASP with which money has moved.
  const isKnown = await moneyHasMoved(db, parseAddress(address).domain)
  if (isKnown && (await db.query(KEEP_OF_KNOWN, params)).length > 0) return
  throw umaFault('VELOCITY_LIMIT_EXCEEDED', 'Too many requests of this VASP are open. Try again later.', {
    status: 429,
    headers: { 'Retry-After': '3600' },
  })
}

/** A request for payment as the person who is asked reads it. */
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

interface Row {
  readonly id: bigint
  readonly receiver_address: string
  readonly uuid: string
  readonly encoded: string
  readonly amount: bigint
  readonly currency: InvoiceCurrency
  readonly state: 'open' | 'paid' | 'declined' | 'expired'
  readonly payment_hash: string | null
  readonly created_at: Date
  readonly expires_at: Date
}

/** Nobody has declined or paid it: a payment that failed left it as it was. */
const IS_UNANSWERED = `(state = 'open' or state = 'paid' and (
    select coalesce(bool_and(p.state = 'failed'), false) from payments p
    where p.payment_hash = uma_requests.payment_hash and p.user_id = uma_requests.user_id))`
const COLUMNS = `id, receiver_address, uuid::text as uuid, encoded, amount, currency, created_at, expires_at,
                 case when ${IS_UNANSWERED} then null else payment_hash end as payment_hash,
                 case when not ${IS_UNANSWERED} then state when expires_at <= now() then 'expired' else 'open' end as state`
const LIST: Statement = {
  name: 'list_uma_requests',
  text: `select ${COLUMNS} from uma_requests where user_id = $1
         order by ${IS_UNANSWERED} and expires_at > now() desc, id desc limit 50`,
}
const ONE: Statement = {
  name: 'one_uma_request',
  text: `select ${COLUMNS} from uma_requests where user_id = $1 and id = $2`,
}

/** The person's latest requests: those that wait for an answer, then the others, each newest first. */
export async function listRequests({ db }: Pick<Deps, 'db'>, username: string): Promise<UmaRequestCard[]> {
  return (await db.query<Row>(LIST, [username])).map(toCard)
}

/** One of the person's own requests; undefined when there is none. */
export async function readRequest(
  { db }: Pick<Deps, 'db'>,
  username: string,
  id: bigint,
): Promise<UmaRequestCard | undefined> {
  const [row] = await db.query<Row>(ONE, [username, id])
  return row === undefined ? undefined : toCard(row)
}

function toCard(row: Row): UmaRequestCard {
  const { id, uuid, encoded, amount, currency, state } = row
  return {
    id,
    uuid,
    encoded,
    amount,
    currency,
    state,
    receiverAddress: row.receiver_address,
    paymentHash: row.payment_hash,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

const DECLINE: Statement = {
  name: 'decline_uma_request',
  text: `update uma_requests set state = 'declined' 
         where user_id = $1 and id = $2 and (state = 'declined' or ${IS_UNANSWERED}) returning id`,
}
const MARK_PAID: Statement = {
  name: 'mark_uma_request_paid',
  text: `update uma_requests set state = 'paid', payment_hash = $3
         where user_id = $1 and id = $2 and (${IS_UNANSWERED} or (state = 'paid' and payment_hash = $3)) returning id`,
}

/** Declining twice is declining. @throws VaspError 404 when the person has no such request that is open. */
export async function declineRequest({ db }: Pick<Deps, 'db'>, username: string, id: bigint): Promise<void> {
  if ((await db.query(DECLINE, [username, id])).length === 0) throw noSuchRequest()
}

/**
 * Notes the payment with which a person agreed to a request; the same payment again is fine.
 * @throws VaspError 404 when the person has no such request that is open.
 */
export async function markRequestPaid(
  { db }: Pick<Deps, 'db'>,
  username: string,
  id: bigint,
  paymentHash: string,
): Promise<void> {
  if ((await db.query(MARK_PAID, [username, id, paymentHash])).length === 0) throw noSuchRequest()
}

function noSuchRequest(): VaspError {
  return new VaspError(404, 'NOT_FOUND', 'There is no such open request.')
}
