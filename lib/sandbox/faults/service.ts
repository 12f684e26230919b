import { findConnection } from '../../connections/queries'
import type { EventRecorder } from '../../events/recorder'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import { runEvery } from '../../platform/run-every'
import { FAULT_LIMITS, secondsOf, type Fault, type FaultKind, type FaultStage, type NewFault } from './types'

interface Ports {
  readonly db: Database
  readonly events: EventRecorder
}

const DELETE_EVERY_MS = 60_000

interface Row {
  readonly id: bigint
  readonly connection_id: string
  readonly kind: string
  readonly stage: string
  readonly seconds: number | null
  readonly calls_left: number
  readonly expires_at: Date
}

const COLUMNS = 'f.id, f.connection_id, f.kind, f.stage, f.seconds, f.calls_left, f.expires_at'
const ACTIVE = 'f.calls_left > 0 and f.expires_at > now()'

/** A connection that was not revoked and has not expired. */
const USABLE = 'revoked_at is null and (expires_at is null or expires_at > now())'

interface Added {
  readonly outcome: 'added' | 'many' | 'unknown'
  readonly fault_id: bigint
  readonly ends_at: Date
}
const ADD = statement<Added>(
  'add_connection_fault',
  `select outcome, fault_id, ends_at from add_connection_fault($1, $2, $3, $4, $5, $6, $7, ${FAULT_LIMITS.active})`,
)
const IS_OPEN = statement<{ id: string }>(
  'is_delayed_connection_open',
  `select id from connections
   where id = $1 and ${USABLE} and exists (select from users u where u.id = user_id and u.status = 'active')`,
)
const LIST = statement<Row>(
  'list_connection_faults',
  `select ${COLUMNS} from connection_faults f join connections c on c.id = f.connection_id
   where f.connection_id = $1 and c.user_id = $2 and ${ACTIVE}
   order by f.id`,
)
const STOP = statement<{ connection_id: string; kind: string }>(
  'stop_connection_fault',
  `delete from connection_faults f using connections c
   where f.id = $1 and c.id = f.connection_id and c.user_id = $2
   returning f.connection_id, f.kind`,
)
/**
 * Locks all active faults before one is chosen, so that the second of two concurrent calls sees the faults that the first
 * has left. A call takes one fault: the oldest.
 */
const TAKE = statement<Row & { none_left: boolean }>(
  'take_connection_fault',
  `with active as materialized (
     select f.id, f.calls_left from connection_faults f
     where f.connection_id = $1 and ${ACTIVE}
     order by f.id for update
   )
   update connection_faults f set calls_left = f.calls_left - 1
   where f.id = (select min(id) from active)
   returning ${COLUMNS}, (select sum(calls_left) from active) = 1 as none_left`,
)
const REFRESH = statement('refresh_faults', `select from refresh_faults($1)`)
const DELETE_ENDED = statement('delete_ended_faults', `delete from connection_faults where expires_at <= now()`)

/** `unknown`: the user has no such active connection. `many`: the connection has `FAULT_LIMITS.active` faults. */
export async function addFault(
  { db, events }: Ports,
  username: string,
  fault: NewFault,
): Promise<Fault | 'unknown' | 'many'> {
  const { connectionId, kind, stage, calls, minutes } = fault
  const seconds = secondsOf(fault)
  const [row] = await db.query(ADD, [connectionId, username, kind, stage, seconds, calls, minutes])
  if (row?.outcome !== 'added') return row?.outcome ?? 'unknown'
  events.record({ kind: 'connection', name: 'fault added', userId: username, connectionId, summary: kind })
  const { fault_id: id, ends_at: expiresAt } = row
  return { id: id.toString(), connectionId, kind, stage, seconds, callsLeft: calls, expiresAt }
}

/** The active faults of the user's own connection, in the order in which calls take them. */
export async function listFaults(db: Database, username: string, connectionId: string): Promise<Fault[]> {
  return (await db.query(LIST, [connectionId, username])).map(toFault)
}

/** False when no connection of the user has this fault. */
export async function stopFault({ db, events }: Ports, username: string, id: string): Promise<boolean> {
  const [row] = await db.query(STOP, [id, username])
  if (row === undefined) return false
  const { connection_id: connectionId, kind } = row
  await db.query(REFRESH, [connectionId])
  events.record({ kind: 'connection', name: 'fault stopped', userId: username, connectionId, summary: kind })
  return true
}

/** Takes the oldest active fault for one call of a connection, and counts the call. Undefined when no fault is active. */
export async function takeFault(db: Database, connectionId: string): Promise<Fault | undefined> {
  const [row] = await db.query(TAKE, [connectionId])
  if (row === undefined) return undefined
  if (row.none_left) await db.query(REFRESH, [connectionId])
  return toFault(row)
}

/** Safe to run on several instances concurrently. */
export async function deleteEndedFaults(db: Database): Promise<void> {
  await db.query(DELETE_ENDED)
}

/** Deletes expired faults, used up or not, every minute while the process runs. */
export function scheduleFaultCleanup(db: Database, onError: (error: unknown) => void): void {
  runEvery(DELETE_EVERY_MS, () => deleteEndedFaults(db), onError)
}

/** Whole seconds: the expiry in a quote or token has no fraction, and a rounded-up time would be in the future. */
const NOW = `date_trunc('second', now())`

const EXPIRE_CONNECTION = statement<{ id: string }>(
  'expire_connection',
  `update connections set expires_at = ${NOW}
   where id = $1 and user_id = $2 and ${USABLE}
   returning id`,
)
/** $3: one payment hash, or null for every open quote of the connection. */
const OPEN_QUOTES = `q.connection_id = $1 and q.user_id = $2 and q.expires_at > now() and q.payment_hash = coalesce($3, q.payment_hash)
       and not exists (select from payments p where p.payment_hash = q.payment_hash and p.state <> 'failed')`
/** The invoice of a quote to a user of this VASP has its own expiry. Locks invoices before quotes, as elsewhere. */
const EXPIRE_INVOICES = statement(
  'expire_invoices_of_quotes',
  `update invoices i set expires_at = now() from quotes q
   where i.payment_hash = q.payment_hash and i.invoice = q.invoice and q.protocol = 'own' and i.settled_at is null
     and i.expires_at > now() and ${OPEN_QUOTES}`,
)
const EXPIRE_QUOTES = statement<{ payment_hash: string }>(
  'expire_quotes',
  `update quotes q set expires_at = ${NOW} where ${OPEN_QUOTES} returning q.payment_hash`,
)
const LIST_QUOTES = statement<QuoteRow>(
  'list_open_quotes',
  `select q.payment_hash, q.receiver_address, q.expires_at from quotes q where ${OPEN_QUOTES} order by q.id desc limit 20`,
)

interface QuoteRow {
  readonly payment_hash: string
  readonly receiver_address: string
  readonly expires_at: Date
}

export interface OpenQuote {
  readonly paymentHash: string
  readonly receiverAddress: string
  readonly expiresAt: Date
}

/** Sets the expiry of the user's own active connection to now. This cannot be undone. False when there is no such connection. */
export async function expireConnection(
  { db, events }: Ports,
  username: string,
  connectionId: string,
): Promise<boolean> {
  if ((await db.query(EXPIRE_CONNECTION, [connectionId, username])).length === 0) return false
  events.record({ kind: 'connection', name: 'connection expired by its owner', userId: username, connectionId })
  return true
}

/**
 * Sets the expiry of open quotes of the user's own connection to now.
 * @param paymentHash of one quote; undefined: every open quote of the connection.
 * @returns the number of expired quotes; undefined when the user has no such connection.
 */
export async function expireQuotes(
  { db, events }: Ports,
  username: string,
  connectionId: string,
  paymentHash?: string,
): Promise<number | undefined> {
  if ((await findConnection(db, username, connectionId)) === null) return undefined
  const params = [connectionId, username, paymentHash ?? null]
  await db.query(EXPIRE_INVOICES, params)
  const count = (await db.query(EXPIRE_QUOTES, params)).length
  if (count > 0) {
    const summary = count === 1 ? 'one quote' : `${count} quotes`
    events.record({
      kind: 'connection',
      name: 'quotes expired by their owner',
      userId: username,
      connectionId,
      summary,
    })
  }
  return count
}

/** The newest open quotes of the user's own connection. */
export async function listOpenQuotes(db: Database, username: string, connectionId: string): Promise<OpenQuote[]> {
  const rows = await db.query(LIST_QUOTES, [connectionId, username, null])
  return rows.map((row) => ({
    paymentHash: row.payment_hash,
    receiverAddress: row.receiver_address,
    expiresAt: row.expires_at,
  }))
}

function toFault(row: Row): Fault {
  return {
    id: row.id.toString(),
    connectionId: row.connection_id,
    kind: row.kind as FaultKind,
    stage: row.stage as FaultStage,
    seconds: row.seconds,
    callsLeft: row.calls_left,
    expiresAt: row.expires_at,
  }
}

/** Whether the connection of a delayed call may still be used: it may have ended since the call was admitted. */
export async function isConnectionOpen(db: Database, connectionId: string): Promise<boolean> {
  return (await db.query(IS_OPEN, [connectionId])).length === 1
}
