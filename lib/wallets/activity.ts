import { setImmediate } from 'node:timers/promises'
import { walletOrder } from '../ledger/accounts'
import type { EntryKind } from '../ledger/entry'
import { isCurrencyCode, type CurrencyCode } from '../money/currencies'
import { ledgerDecimals } from '../money/ledger-units'
import type { Database } from '../platform/db/database'
import { statement, type Statement } from '../platform/db/statement'
import { visibleText } from '../platform/visible-text'
import { isIndexed, type ActivityFilter, type MovementState } from './activity-filter'
import { aboutOf, lineText, type StatementLine } from './queries'

/** A line of a statement, or a payment that is none yet or failed. */
export interface Movement {
  readonly id: bigint
  readonly at: Date
  readonly kind: EntryKind
  readonly state: MovementState
  readonly code: CurrencyCode
  /** The change to the wallet in ledger units; negative when money left it. */
  readonly amount: bigint
  readonly text: string
  /** The other address of a payment. */
  readonly party: string | null
  readonly memo: string | null
  readonly paymentHash: string | null
  /** The payment or the invoice behind it, if any. */
  readonly about: StatementLine['about']
  /** The connection that sent the payment. */
  readonly connectionId: string | null
}

interface Row {
  readonly id: bigint
  readonly at: Date
  readonly kind: EntryKind
  readonly state: MovementState
  readonly code: string
  readonly amount: bigint
  readonly party: string | null
  readonly memo: string | null
  readonly payment_hash: string | null
  readonly connection_id: string | null
}

const LAST_ID = 2n ** 63n - 1n
/** $1: the user. $2: directions, as `sent`. $3 and $4: the first id, and the first id after the last. $5: the size. */
const LINES = `order by id desc limit $5 offset 0`
const COLUMNS = `line.id, line.created_at as at, line.kind, 'settled' as state, line.currency_code as code, line.amount, line.party, line.memo,
  line.payment_hash, line.connection_id`

function listOf(scope: 'user' | 'wallet', where: string): Statement<Row> {
  return statement<Row>(
    `movements_of_${scope}`,
    `select ${COLUMNS} from unnest($2::boolean[]) as way (sent)
     cross join lateral (select * from movements where ${where} and sent = way.sent and id >= $3 and id < $4 ${LINES}) line
     order by line.id desc limit $5`,
  )
}
const WALLET = `wallet_id = (select id from wallets where user_id = $1 and currency_code = $6)`
const OF_USER = listOf('user', 'user_id = $1')
const OF_WALLET = listOf('wallet', WALLET)

/** A connection only sends. Another user's connection has no movements. */
function sentBy(scope: 'connection' | 'connection_and_wallet', where: string): Statement<Row> {
  return statement<Row>(
    `sent_by_${scope}`,
    `select ${COLUMNS} from connections c
     cross join lateral (select * from movements where connection_id = c.id ${where} and id >= $3 and id < $4 ${LINES}) line
     where c.id = $2 and c.user_id = $1 order by line.id desc limit $5`,
  )
}
const OF_CONNECTION = sentBy('connection', '')
const OF_CONNECTION_AND_WALLET = sentBy('connection_and_wallet', `and ${WALLET}`)

/** Payments without a movement, as the wallet's owner sees them: the reserved or the returned amount. */
function paymentsOf(state: 'pending' | 'failed', where: string): Statement<Row> {
  return statement<Row>(
    `activity_of_${state}`,
    `select p.id, p.created_at as at, 'payment' as kind, '${state}' as state, w.currency_code as code, -p.debit as amount,
            sent.receiver_address as party, coalesce(sent.comment, p.description) as memo, p.payment_hash, p.connection_id
     from (select * from payments where user_id = $1 and ${where} and id < $2 order by id desc limit $3) p
     cross join lateral (select currency_code from wallets where id = p.wallet_id offset 0) w
     left join lateral (select receiver_address, comment from quotes
                        where payment_hash = p.payment_hash and user_id = p.user_id offset 0) sent on true
     order by p.id desc`,
  )
}
const PENDING = paymentsOf('pending', `state in ('held', 'sending')`)
const FAILED = paymentsOf('failed', `state = 'failed'`)

/** The first movement at or after each of two moments, in the order of booking; null where none follows. */
const BOUNDS = statement<{ first: bigint | null; end: bigint | null }>(
  'movements_of_period',
  `select (select id from movements where user_id = $1 and created_at >= $2::timestamptz order by created_at, id limit 1) as first,
          (select id from movements where user_id = $1 and created_at >= $3::timestamptz order by created_at, id limit 1) as end`,
)

interface Period {
  readonly from?: Date | undefined
  readonly until?: Date | undefined
}

/** A period as ids. Ids follow the order of booking, in which the balances run. */
async function boundsOf(db: Database, username: string, { from, until }: Period) {
  if (from === undefined && until === undefined) return { first: 0n, end: LAST_ID }
  const [row] = await db.query(BOUNDS, [
    username,
    from?.toISOString() ?? '-infinity',
    until?.toISOString() ?? 'infinity',
  ])
  const first = row?.first ?? LAST_ID
  const end = row?.end ?? LAST_ID
  // The time is that at which a transaction began: two that ran together may have the order of their ids reversed.
  return { first, end: end < first ? first : end }
}

/** Reads the next movements below an id, newest first. */
type ReadBelow = (before: bigint, count: number) => Promise<Movement[]>

async function readerOf(db: Database, username: string, filter: ActivityFilter): Promise<ReadBelow> {
  if (filter.state === 'pending' || filter.state === 'failed') {
    const list = filter.state === 'pending' ? PENDING : FAILED
    return async (before, count) => toMovements(await db.query(list, [username, before, count]))
  }
  const { direction, code, connectionId } = filter
  const { first, end } = await boundsOf(db, username, filter)
  const read = async (list: Statement<Row>, scope: unknown, before: bigint, count: number): Promise<Movement[]> =>
    toMovements(
      await db.query(list, [
        username,
        scope,
        first,
        before < end ? before : end,
        count,
        ...(code === undefined ? [] : [code]),
      ]),
    )
  if (connectionId === undefined) {
    const ways = direction === undefined ? [true, false] : [direction === 'sent']
    return (before, count) => read(code === undefined ? OF_USER : OF_WALLET, ways, before, count)
  }
  if (direction === 'received') return () => Promise.resolve([])
  return (before, count) =>
    read(code === undefined ? OF_CONNECTION : OF_CONNECTION_AND_WALLET, connectionId, before, count)
}

export const MOVEMENTS_PER_PAGE = 50
/** Rows of one query of an export or of a search. */
export const SLICE = 1_000
/** How many of the newest movements a search looks at. */
export const SEARCHED = 10_000

/** Where the next page begins. */
export interface Cursor {
  readonly before: bigint
  /** How many movements the pages before it have searched. */
  readonly searched: number
}

interface ActivityPage {
  readonly movements: readonly Movement[]
  /** Null on the last page. */
  readonly older: Cursor | null
  /** Whether older movements exist that a search does not look at. */
  readonly isCut: boolean
}

/** One page of the user's movements, newest first. */
export async function readActivity(
  db: Database,
  username: string,
  filter: ActivityFilter,
  { before, searched }: Cursor = { before: LAST_ID, searched: 0 },
): Promise<ActivityPage> {
  const read = await readerOf(db, username, filter)
  if (isIndexed(filter)) {
    const rows = await read(before, MOVEMENTS_PER_PAGE + 1)
    const movements = rows.slice(0, MOVEMENTS_PER_PAGE)
    const last = movements.at(-1)
    const older = rows.length > MOVEMENTS_PER_PAGE && last !== undefined ? { before: last.id, searched: 0 } : null
    return { movements, older, isCut: false }
  }
  const found: { readonly movement: Movement; readonly searched: number }[] = []
  let count = searched
  for await (const slice of slicesOf(read, before, SEARCHED - searched)) {
    for (const movement of slice.movements) {
      count += 1
      if (matches(movement, filter)) found.push({ movement, searched: count })
    }
    if (found.length > MOVEMENTS_PER_PAGE || slice.isLast) break
  }
  const shown = found.slice(0, MOVEMENTS_PER_PAGE)
  const last = shown.at(-1)
  const isMore = found.length > MOVEMENTS_PER_PAGE && last !== undefined
  return {
    movements: shown.map(({ movement }) => movement),
    older: isMore ? { before: last.movement.id, searched: last.searched } : null,
    isCut: !isMore && count >= SEARCHED,
  }
}

/** All matches in slices, newest first. A search ends after the newest `SEARCHED` movements. */
export async function* allActivity(
  db: Database,
  username: string,
  filter: ActivityFilter,
): AsyncGenerator<readonly Movement[], void> {
  const read = await readerOf(db, username, filter)
  const most = isIndexed(filter) ? Infinity : SEARCHED
  for await (const { movements } of slicesOf(read, LAST_ID, most))
    yield movements.filter((movement) => matches(movement, filter))
}

async function* slicesOf(read: ReadBelow, from: bigint, most: number) {
  let before = from
  for (let left = most; left > 0; left -= SLICE) {
    const size = Math.min(SLICE, left)
    const movements = await read(before, size)
    const last = movements.at(-1)
    const isLast = movements.length < size || last === undefined
    yield { movements, isLast }
    if (isLast) return
    before = last.id
    // A query of the embedded database ends without a turn of the event loop: other requests have theirs here.
    await setImmediate()
  }
}

/** What no index decides, and for payments that are no movement also the rest. */
function matches(movement: Movement, filter: ActivityFilter): boolean {
  const { amount, code, party, text, memo, paymentHash } = movement
  const size = amount < 0n ? -amount : amount
  const scale = 10n ** BigInt(ledgerDecimals(code))
  const has = (part: string | undefined, ...texts: readonly (string | null)[]): boolean =>
    part === undefined || texts.some((each) => each?.toLowerCase().includes(part.toLowerCase()) === true)
  return (
    (movement.state === 'settled' || isInScope(movement, filter)) &&
    (filter.least === undefined || size * 1_000n >= filter.least * scale) &&
    (filter.most === undefined || size * 1_000n <= filter.most * scale) &&
    has(filter.counterparty, party) &&
    has(filter.text, text, memo, party, paymentHash)
  )
}

function isInScope({ at, code, connectionId }: Movement, filter: ActivityFilter): boolean {
  return (
    filter.direction !== 'received' &&
    (filter.code === undefined || filter.code === code) &&
    (filter.connectionId === undefined || filter.connectionId === connectionId) &&
    (filter.from === undefined || at >= filter.from) &&
    (filter.until === undefined || at < filter.until)
  )
}

function toMovements(rows: readonly Row[]): Movement[] {
  return rows.flatMap((row) => {
    const { code, kind, party } = row
    if (!isCurrencyCode(code)) return []
    const memo = visibleText(row.memo) ?? null
    const isExchange = kind === 'exchange'
    const facts = { kind, amount: row.amount, party: isExchange ? null : party, otherCode: isExchange ? party : null }
    return {
      id: row.id,
      at: row.at,
      kind,
      state: row.state,
      code,
      amount: row.amount,
      text: row.state === 'settled' ? lineText(facts, memo) : unsettledText(row.state, party ?? memo),
      party: facts.party,
      memo: facts.party === null ? null : memo,
      paymentHash: row.payment_hash,
      about: aboutOf(row),
      connectionId: row.connection_id,
    }
  })
}

function unsettledText(state: MovementState, what: string | null): string {
  const text = state === 'failed' ? 'Failed payment' : 'Pending payment'
  return what === null ? text : `${text}: ${what}`
}

/** A wallet in a period, in ledger units. Its opening balance and its lines add up to its closing balance. */
export interface WalletPeriod {
  readonly code: CurrencyCode
  readonly opening: bigint
  readonly closing: bigint
  /** Oldest first. Empty when the period is cut. */
  readonly lines: readonly (Movement & { readonly balance: bigint })[]
}

/** The maximum number of lines in a printed statement. */
export const PRINTED = 2_000

/**
 * The balance of each wallet, with its held amount, before the entry that has the given posting first. An entry with a posting on
 * both sides of it counts as a whole, as its line does.
 */
const BALANCES = statement<{ code: string; balance: bigint }>(
  'balances_before',
  `select w.currency_code as code, coalesce(sum(last.balance), 0)::bigint as balance
   from wallets w
   cross join lateral (select id from ledger_accounts where wallet_id = w.id offset 0) a
   left join lateral (
     select p.balance_after + coalesce((
         select sum(q.amount) from (select account_id, amount from postings where entry_id = p.entry_id and id >= $2 offset 0) q
         cross join lateral (select wallet_id from ledger_accounts where id = q.account_id offset 0) other
         where other.wallet_id = w.id), 0) as balance
     from (select entry_id, balance_after from postings where account_id = a.id and id < $2 order by id desc limit 1 offset 0) p
   ) last on true
   where w.user_id = $1 group by w.id, w.currency_code, w.position
   order by ${walletOrder('(select default_currency from users where id = $1)')}`,
)

/** The statement of all wallets for a period. `isCut`: it has more than `PRINTED` lines, so none are listed. */
export async function readPeriod(
  db: Database,
  username: string,
  period: { readonly from: Date; readonly until: Date },
): Promise<{ readonly wallets: readonly WalletPeriod[]; readonly isCut: boolean }> {
  const { first, end } = await boundsOf(db, username, period)
  const [before, after] = [await db.query(BALANCES, [username, first]), await db.query(BALANCES, [username, end])]
  const lines: Movement[] = []
  const read: ReadBelow = async (below, count) =>
    toMovements(await db.query(OF_USER, [username, [true, false], first, below < end ? below : end, count]))
  for await (const { movements } of slicesOf(read, end, PRINTED + 1)) lines.push(...movements)
  const isCut = lines.length > PRINTED
  const wallets = before.flatMap(({ code, balance: opening }) => {
    if (!isCurrencyCode(code)) return []
    let balance = opening
    const own = isCut ? [] : lines.filter((line) => line.code === code).toReversed()
    return {
      code,
      opening,
      closing: after.find((each) => each.code === code)?.balance ?? opening,
      lines: own.map((line) => ({ ...line, balance: (balance += line.amount) })),
    }
  })
  return { wallets, isCut }
}
