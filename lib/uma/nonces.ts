import { epochSeconds, type Clock } from '../clock'
import type { Database, Statement } from '../db/database'
import { umaFault } from './fault'

/** A message may be ten minutes old, and two ahead of our clock. */
export const OLDEST_SECONDS = 600
export const MOST_AHEAD_SECONDS = 120
/** Longer than a message can be in the window. */
const NONCE_LIVES_SECONDS = 2 * (OLDEST_SECONDS + MOST_AHEAD_SECONDS)

/** Of a domain: two honest VASPs may well choose the same 32 bits. */
const KEEP: Statement = {
  name: 'keep_uma_nonce',
  text: `insert into uma_nonces as kept (domain, nonce, expires_at) values ($1, $2, $3)
         on conflict (domain, nonce) do update set expires_at = excluded.expires_at where kept.expires_at < $4
         returning nonce`,
}
const FORGET: Statement = { name: 'forget_uma_nonces', text: `delete from uma_nonces where expires_at < $1` }

/**
 * Refuses a message whose time is not now, before anything is fetched or computed for it.
 * @throws UmaFault INVALID_TIMESTAMP outside −10 min to +2 min, and for whatever is no whole number of seconds.
 */
export function checkTime(clock: Clock, timestampSeconds: number): void {
  const age = epochSeconds(clock.now()) - timestampSeconds
  if (!Number.isSafeInteger(timestampSeconds) || age > OLDEST_SECONDS || age < -MOST_AHEAD_SECONDS)
    throw umaFault('INVALID_TIMESTAMP', 'The time of the message is too far from ours.')
}

/**
 * Takes the nonce of a message whose signature held: each once a domain, on every instance.
 * @throws UmaFault INVALID_NONCE for one that was taken before.
 */
export async function takeNonce(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  domain: string,
  nonce: string,
): Promise<void> {
  // Without the bar that parts signed fields: the signature of one kind of message would be another kind's with another nonce.
  if (!/^[\x21-\x7b\x7d\x7e]{1,64}$/.test(nonce)) throw umaFault('INVALID_NONCE', 'The nonce cannot be read.')
  const now = clock.now()
  const until = new Date(now.getTime() + NONCE_LIVES_SECONDS * 1000)
  const taken = await db.query(KEEP, [domain, nonce, until.toISOString(), now.toISOString()])
  if (taken.length === 0) throw umaFault('INVALID_NONCE', 'A message with this nonce has come before.')
}

export async function forgetOldNonces({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<void> {
  await db.query(FORGET, [clock.now().toISOString()])
}
