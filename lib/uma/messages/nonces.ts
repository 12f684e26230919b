import { epochSeconds, type Clock } from '../../platform/clock'
import type { Database } from '../../platform/db/database'
import { deleteInSlices, deletion, SLICE, type Deleted } from '../../platform/db/delete-in-slices'
import { statement } from '../../platform/db/statement'
import { umaFault } from '../fault'

/** How old a message may be, and how far its timestamp may be ahead of this server's clock. */
const MAX_AGE_SECONDS = 600
const MAX_AHEAD_SECONDS = 120
/** Longer than any message stays valid. */
const NONCE_LIFETIME_SECONDS = 2 * (MAX_AGE_SECONDS + MAX_AHEAD_SECONDS)

/** Unique only within a domain, because two honest VASPs may choose the same 32 bits. */
const TAKE = statement<{ nonce: string }>(
  'take_uma_nonce',
  `insert into uma_nonces as taken (domain, nonce, expires_at) values ($1, $2, $3)
         on conflict (domain, nonce) do update set expires_at = excluded.expires_at where taken.expires_at < $4
         returning nonce`,
)
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
 * Takes the nonce of a message whose signature was verified. A nonce is accepted only once for its domain, across all
 * instances.
 * @throws UmaFault INVALID_NONCE for a nonce that was taken before or is malformed.
 */
export async function takeNonce(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  domain: string,
  nonce: string,
): Promise<void> {
  // `|` is refused because it separates signed fields: with it, a signature could be valid for another kind of message.
  if (!/^[\x21-\x7b\x7d\x7e]{1,64}$/.test(nonce)) throw umaFault('INVALID_NONCE', 'The nonce is not valid.')
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + NONCE_LIFETIME_SECONDS * 1000)
  const taken = await db.query(TAKE, [domain, nonce, expiresAt.toISOString(), now.toISOString()])
  if (taken.length === 0) throw umaFault('INVALID_NONCE', 'This nonce was used before.')
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
