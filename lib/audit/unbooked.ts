import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/** What a peer says was paid between it and us, that our books do not know, and that nobody has looked at. */
export interface Unbooked {
  readonly id: bigint
  /** Public key of the peer, hex. */
  readonly peer: string
  /** Seen from here. */
  readonly direction: 'sent' | 'received'
  readonly paymentHash: string
  readonly amountMsats: bigint
}

interface UnbookedRow {
  readonly id: bigint
  readonly peer: string
  readonly direction: Unbooked['direction']
  readonly payment_hash: string
  readonly amount_msats: bigint
}

const OPEN = statement<UnbookedRow>(
  'open_unbooked',
  `select id, peer, direction, payment_hash, amount_msats from lightning_node.reconciliation_items
         where accepted_at is null order by id limit 1000`,
)

/** The oldest first, a thousand at most. While a peer has one, it is sent nothing. */
export async function readUnbooked(db: Database): Promise<Unbooked[]> {
  return (await db.query(OPEN)).map((row) => ({
    id: row.id,
    peer: row.peer,
    direction: row.direction,
    paymentHash: row.payment_hash,
    amountMsats: row.amount_msats,
  }))
}

/** How one is told. */
export function describeUnbooked({ peer, direction, paymentHash, amountMsats }: Unbooked): string {
  const what = direction === 'sent' ? `has received ${amountMsats} msats from us` : `has sent us ${amountMsats} msats`
  return `the node ${peer} says that it ${what} for ${paymentHash}, and our books know nothing of it`
}

const ACCEPT = statement<{ direction: Unbooked['direction']; amount_msats: bigint }>(
  'accept_reconciliation_items',
  `select direction, amount_msats from lightning_node.accept_reconciliation_items($1, $2, $3, $4)`,
)

export interface Acceptance {
  readonly peer: string
  /** The last one that the person has seen. What the peer told after it goes on waiting. */
  readonly upTo: bigint
  readonly by: string
  readonly because: string
}

/** A person believes a peer: what it told, up to the last one that was looked at, is booked, against `suspense`, in one transaction. Gives what was booked, in msats. */
export async function acceptUnbooked(
  db: Database,
  { peer, upTo, by, because }: Acceptance,
): Promise<{ readonly count: number; readonly sentMsats: bigint; readonly receivedMsats: bigint }> {
  const rows = await db.query(ACCEPT, [peer, String(upTo), by, because])
  const sumOf = (direction: Unbooked['direction']): bigint =>
    rows.filter((row) => row.direction === direction).reduce((sum, row) => sum + row.amount_msats, 0n)
  return { count: rows.length, sentMsats: sumOf('sent'), receivedMsats: sumOf('received') }
}
