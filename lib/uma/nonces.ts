import { epochSeconds, type Clock } from '../platform/clock'
import type { Database } from '../platform/db/database'
import { deleteInSlices, deletion, SLICE, type Deleted } from '../platform/db/delete-in-slices'
import { statement } from '../platform/db/statement'
import { umaFault } from './fault'

/** How old a message may be, and how far its timestamp may be ahead of this server's clock. */
const MAX_AGE_SECONDS = 600
const MAX_AHEAD_SECONDS = 120
/** Longer than any message stays valid. */
const NONCE_LIFETIME_SECONDS = 2 * (MAX_AGE_SECONDS + MAX_AHEAD_SECONDS)

/**
 * The nonce of a message whose signature was verified. A nonce is accepted only once for its domain, across all instances: the
 * message has an effect only in or after a statement that takes its nonce.
 */
export interface Nonce {
  /** Unique only within a domain, because two honest VASPs may choose the same 32 bits. */
  readonly domain: string
  readonly nonce: string
  readonly verifiedAt: Date
}

/** How many parameters `takingNonces` has. */
const PARAMETERS = 4

/**
 * A part of a statement that takes nonces: `taken` has a row for each nonce that was not used before. Its parameters are those of
 * `nonceParams`, from the given number on.
 */
export function takingNonces(first: number): string {
  const [domains, nonces, expiresAt, now] = Array.from({ length: PARAMETERS }, (_, index) => `$${first + index}`)
  return `taken as (
            insert into uma_nonces as known (domain, nonce, expires_at)
            select distinct domain, nonce, ${expiresAt}::timestamptz
            from unnest(${domains}::text[], ${nonces}::text[]) as given (domain, nonce) order by domain, nonce
            on conflict (domain, nonce) do update set expires_at = excluded.expires_at
              where known.expires_at < ${now}::timestamptz
            returning nonce)`
}

/** Whether `taken` has all nonces that were given from this parameter on. */
export function allTaken(first: number): string {
  return `(select count(*) from taken) = cardinality($${first + 1}::text[])`
}

export function nonceParams(nonces: readonly Nonce[]): unknown[] {
  const now = Math.max(0, ...nonces.map(({ verifiedAt }) => verifiedAt.getTime()))
  return [
    nonces.map(({ domain }) => domain),
    nonces.map(({ nonce }) => nonce),
    new Date(now + NONCE_LIFETIME_SECONDS * 1000).toISOString(),
    new Date(now).toISOString(),
  ]
}

const TAKE = statement<{ fresh: boolean }>('take_uma_nonces', `with ${takingNonces(1)} select ${allTaken(1)} as fresh`)
const DELETE_EXPIRED = statement<Deleted>(
  'delete_expired_uma_nonces',
  deletion(
    'uma_nonces',
    'ctid',
    `select ctid from uma_nonces where expires_at < $1 order by expires_at limit ${SLICE} for update skip locked`,
  ),
)

/**
 * Checks the timestamp of a message before anything is fetched or computed for it.
 * @throws UmaFault INVALID_TIMESTAMP for a timestamp more than 10 min old, more than 2 min ahead, or not in whole
 * seconds.
 */
export function checkTime(clock: Clock, timestampSeconds: number): void {
  const age = epochSeconds(clock.now()) - timestampSeconds
  if (!Number.isSafeInteger(timestampSeconds) || age > MAX_AGE_SECONDS || age < -MAX_AHEAD_SECONDS)
    throw umaFault('INVALID_TIMESTAMP', 'The timestamp of the message is too far from the time of this server.')
}

/**
 * The nonce of a message whose signature was just verified, not yet taken.
 * @throws UmaFault INVALID_NONCE for a malformed nonce.
 */
export function readNonce(clock: Clock, domain: string, nonce: string): Nonce {
  // `|` is refused because it separates signed fields: with it, a signature could be valid for another kind of message.
  if (!/^[\x21-\x7b\x7d\x7e]{1,64}$/.test(nonce)) throw umaFault('INVALID_NONCE', 'The nonce is not valid.')
  return { domain, nonce, verifiedAt: clock.now() }
}

/** Takes a nonce in a statement of its own. @throws UmaFault INVALID_NONCE for a nonce that was taken before. */
export async function takeNonce(db: Database, nonce: Nonce): Promise<void> {
  const [row] = await db.query(TAKE, nonceParams([nonce]))
  if (row?.fresh !== true) throw usedNonce()
}

export function usedNonce(): Error {
  return umaFault('INVALID_NONCE', 'This nonce was used before.')
}

/** Deletes the nonces of messages whose timestamp would now be refused. */
export async function deleteExpiredNonces({
  db,
  clock,
}: {
  readonly db: Database
  readonly clock: Clock
}): Promise<void> {
  await deleteInSlices(db, DELETE_EXPIRED, [clock.now().toISOString()])
}
