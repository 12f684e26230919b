import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import type { AuditMark, Breach } from './invariants'

/** A start checks at most so many new postings before it trusts a stored position. With more, it checks everything. */
const MAX_NEW_POSTINGS = 50_000n
/** One breach stops payments, so these are enough to stop and to explain. */
const MAX_STORED = 100

/** A payment's entry has the same key in other books, but not at the same time. */
const keyOf = (id: string): string =>
  `(select e.idempotency_key || ' ' || extract(epoch from e.created_at) from journal_entries e where e.id = ${id})`
const LAST_SEND = 'coalesce((select max(send_id) from lightning_node.sends), 0)'

/**
 * Only while the last entry is the one that was stored, and no send is missing. Books that were restored without this table, beneath
 * it, or without the node's records, are other books. A clock that was set back says nothing about the invoices settled meanwhile.
 */
const POSITION = statement<AuditMark>(
  'audit_position',
  `select last_posting as "lastPosting", last_entry as "lastEntry", last_payment as "lastPayment", last_receipt as "lastReceipt",
          last_node_receipt as "lastNodeReceipt", open_payments as "openPayments", at
   from audit_position p
   where at <= now() and entry_key = ${keyOf('p.last_entry')} and last_send <= ${LAST_SEND}`,
)

/**
 * The position up to which the books were checked, by any process; undefined when the next audit has to check everything.
 * @throws Error when the database does not answer.
 */
export async function readPosition(db: Database, now: AuditMark): Promise<AuditMark | undefined> {
  const [stored] = await db.query(POSITION)
  if (stored === undefined || !isBefore(stored, now) || stored.lastNodeReceipt > now.lastNodeReceipt) return undefined
  return now.lastPosting - stored.lastPosting > MAX_NEW_POSTINGS ? undefined : stored
}

/** False for a position that was taken in other books: rows that it counts as checked are not there. The node deletes its last receipts. */
export function isBefore(position: AuditMark, now: AuditMark): boolean {
  return (
    position.lastPosting <= now.lastPosting &&
    position.lastEntry <= now.lastEntry &&
    position.lastPayment <= now.lastPayment &&
    position.lastReceipt <= now.lastReceipt &&
    position.at <= now.at
  )
}

/** Several processes store theirs. Each is right, and an older one only means that some rows are checked again. */
const STORE_POSITION = statement(
  'store_audit_position',
  `insert into audit_position as p (id, last_posting, last_entry, last_payment, last_receipt, last_node_receipt, open_payments, at, entry_key, last_send)
   values (1, $1, $2, $3, $4, $5, $6, $7, ${keyOf('$2')}, ${LAST_SEND})
   on conflict (id) do update set last_posting = excluded.last_posting, last_entry = excluded.last_entry,
     last_payment = excluded.last_payment, last_receipt = excluded.last_receipt, last_node_receipt = excluded.last_node_receipt,
     open_payments = excluded.open_payments, at = excluded.at, entry_key = excluded.entry_key, last_send = excluded.last_send`,
)

/** Stores how far the books are checked. Every breach found up to there must be stored already. */
export async function storePosition(db: Database, mark: AuditMark): Promise<void> {
  const { lastPosting, lastEntry, lastPayment, lastReceipt, lastNodeReceipt, openPayments, at } = mark
  await db.query(STORE_POSITION, [lastPosting, lastEntry, lastPayment, lastReceipt, lastNodeReceipt, openPayments, at])
}

const OPEN = statement<Breach>(
  'open_breaches',
  `select invariant, detail from audit_breaches where passed_at is null order by id limit ${MAX_STORED}`,
)

/**
 * The stored breaches that stop payments.
 * @throws Error when the database does not answer.
 */
export async function readBreaches(db: Database): Promise<Breach[]> {
  return db.query(OPEN)
}

const STORE = statement(
  'store_breaches',
  `insert into audit_breaches (invariant, detail)
   select distinct invariant, detail from unnest($1::text[], $2::text[]) found (invariant, detail)
   on conflict (invariant, detail) do update set id = excluded.id, passed_at = null`,
)

/** Stores breaches, of which the first hundred are enough. @throws Error when the database does not store them. */
export async function storeBreaches(db: Database, breaches: readonly Breach[]): Promise<void> {
  const stored = breaches.slice(0, MAX_STORED)
  await db.query(STORE, [stored.map(({ invariant }) => invariant), stored.map(({ detail }) => detail)])
}

const LAST = statement<{ last: bigint }>(
  'last_breach',
  'select coalesce(max(id), 0) as last from audit_breaches where passed_at is null',
)

/** The number of the last stored breach. A whole audit that begins now would find every breach up to it again. */
export async function readLastBreach(db: Database): Promise<bigint> {
  const [row] = await db.query(LAST)
  if (row === undefined) throw new Error('the database returned no number')
  return row.last
}

const PASS = statement(
  'pass_breaches',
  'update audit_breaches set passed_at = now() where passed_at is null and id <= $1',
)

/**
 * Ends the stop by the breaches up to `last`, after a whole audit that began when `readLastBreach` had returned that number, and
 * that found nothing. A breach that was found since then has a higher number.
 */
export async function passBreaches(db: Database, last: bigint): Promise<void> {
  await db.query(PASS, [last])
}
