import { epochSeconds, type Clock } from '../platform/clock'
import type { Database } from '../platform/db/database'
import { statement, type Statement } from '../platform/db/statement'
import { umaFault } from './fault'

/** A message may be ten minutes old, and two ahead of our clock. */
const OLDEST_SECONDS = 600
const MOST_AHEAD_SECONDS = 120
/** Longer than a message can be in the window. */
const NONCE_LIVES_SECONDS = 2 * (OLDEST_SECONDS + MOST_AHEAD_SECONDS)

/** Of a domain: two honest VASPs may well choose the same 32 bits. */
const TAKE = `insert into uma_nonces as kept (domain, nonce, expires_at) values ($1, $2, $3)
         on conflict (domain, nonce) do update set expires_at = excluded.expires_at where kept.expires_at < $4
         returning nonce`
const NONCE_PARAMS = 4
const KEEP = statement<{ nonce: string }>('keep_uma_nonce', TAKE)
/** As many as go in one statement without keeping anybody waiting. */
const MOST_AT_ONCE = 5_000
const FORGET = statement<{ count: number }>(
  'forget_uma_nonces',
  `with gone as (
           delete from uma_nonces where ctid = any (array(
             select ctid from uma_nonces where expires_at < $1 order by expires_at limit ${MOST_AT_ONCE} for update skip locked))
           returning 1)
         select count(*)::int as count from gone`,
)

/**
 * Refuses a message whose time is not now, before anything is fetched or computed for it.
 * @throws UmaFault INVALID_TIMESTAMP outside −10 min to +2 min, and for whatever is no whole number of seconds.
 */
export function checkTime(clock: Clock, timestampSeconds: number): void {
  const age = epochSeconds(clock.now()) - timestampSeconds
  if (!Number.isSafeInteger(timestampSeconds) || age > OLDEST_SECONDS || age < -MOST_AHEAD_SECONDS)
    throw umaFault('INVALID_TIMESTAMP', 'The time of the message is too far from ours.')
}

/** What is read in the statement that takes a nonce, by whoever needs both: a round trip less. */
export interface Reading<Row> {
  readonly statement: Statement<Row>
  readonly params: readonly unknown[]
  /** Of the row where nothing was found. */
  readonly none: (row: Row) => boolean
}

/**
 * Writes in the statement that takes a nonce, where the nonce is new: `text` inserts from `taken`, its parameters count
 * from $1. Gives the nonce.
 */
export function besideNewNonce(text: string): string {
  return `with taken as (${TAKE}), done as (${afterNonce(text)}) select nonce from taken`
}

/** Asks a question together with the nonce of the message that it is about. @param orderBy One of its columns. */
export function besideNonce(text: string, orderBy: string): string {
  return `with taken as (${TAKE}) select found.* from taken left join (${afterNonce(text)}) found on true order by found.${orderBy}`
}

/** The parameters of the nonce come first. */
function afterNonce(text: string): string {
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => `$${Number(number) + NONCE_PARAMS}`)
}

/**
 * Takes the nonce of a message whose signature held: each once a domain, on every instance.
 * @throws UmaFault INVALID_NONCE for one that was taken before.
 */
export async function takeNonce<Row = never>(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  domain: string,
  nonce: string,
  reading?: Reading<Row>,
): Promise<Row[]> {
  // Without the bar that parts signed fields: the signature of one kind of message would be another kind's with another nonce.
  if (!/^[\x21-\x7b\x7d\x7e]{1,64}$/.test(nonce)) throw umaFault('INVALID_NONCE', 'The nonce cannot be read.')
  const now = clock.now()
  const until = new Date(now.getTime() + NONCE_LIVES_SECONDS * 1000)
  const params = [domain, nonce, until.toISOString(), now.toISOString()]
  const found = reading && (await db.query(reading.statement, [...params, ...reading.params]))
  // One row at least for a nonce that was taken now, whatever was found beside it.
  const rows = found ?? (await db.query(KEEP, params))
  if (rows.length === 0) throw umaFault('INVALID_NONCE', 'A message with this nonce has come before.')
  return reading === undefined || found === undefined ? [] : found.filter((row) => !reading.none(row))
}

/** Deletes those whose messages would be refused for their time alone. */
export async function forgetOldNonces({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<void> {
  for (;;) {
    const [row] = await db.query(FORGET, [clock.now().toISOString()])
    if ((row?.count ?? 0) < MOST_AT_ONCE) return
  }
}
