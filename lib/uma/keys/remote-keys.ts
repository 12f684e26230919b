import { epochSeconds, type Clock } from '../../platform/clock'
import { setBounded } from '../../platform/concurrency/bounded-map'
import { isBusy, makeConcurrencyLimiter } from '../../platform/concurrency/concurrency-limiter'
import { makeKeyedLimiter } from '../../platform/concurrency/keyed-limiter'
import type { Settings } from '../../platform/config'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import { isFetchError } from '../../platform/net/fetch-error'
import type { GuardedFetch } from '../../platform/net/guarded-fetch'
import { isUmaFault, umaFault } from '../fault'
import { originOf } from '../messages/domains'
import { registrableDomain } from '../registrable-domain'
import type { CachedKeys, Direction, PublicKeys, RemoteKeys } from '../types'
import { KEYS_LIVE_SECONDS } from './key-document'
import { readKeyDocument } from './read-keys'

interface Ports {
  readonly settings: Pick<Settings, 'umaLocalPeers'>
  readonly db: Database
  readonly clock: Clock
  readonly fetch: GuardedFetch
}

const READ = statement<{ document: PublicKeys; fetched_at: Date; expires_at: Date }>(
  'read_uma_remote_keys',
  `select document, fetched_at, expires_at from uma_remote_keys where domain = $1 and expires_at > $2`,
)
/** More than one, so that the table shrinks. */
const MAX_DELETED = 10
/**
 * Some expired keys of other domains are deleted here, so that invented domains do not accumulate. Locked rows are skipped,
 * because two instances that wait for each other's rows would deadlock.
 */
const SAVE = statement(
  'save_uma_remote_keys',
  `with gone as (
           delete from uma_remote_keys where domain = any (array(
             select domain from uma_remote_keys where expires_at < $3 and domain <> $1
             order by expires_at limit ${MAX_DELETED} for update skip locked))
         )
         insert into uma_remote_keys (domain, document, fetched_at, expires_at) values ($1, $2::jsonb, $3, $4)
         on conflict (domain) do update
         set document = excluded.document, fetched_at = excluded.fetched_at, expires_at = excluded.expires_at`,
)

/** Maximum number of domains in memory. The database holds more. */
const MAX_CACHED = 1_000
const MAX_FAILURES = 1_000
/** How long a failed fetch is remembered: the keys of that domain are not requested in this time. */
const FAILURE_SECONDS = 60
export const KEYS_ARE_REQUESTED_AGAIN = `This VASP requests the keys again after ${FAILURE_SECONDS} seconds.`
/** Keys that were fetched within this time are not fetched again for a signature that does not verify. */
const MIN_REFRESH_INTERVAL_MS = 10_000

/** Fetches for incoming messages use at most half of the slots for outbound requests. */
const INCOMING_LIMITS = { maxConcurrent: 5, maxQueued: 20 }
const INCOMING_LIMITS_PER_DOMAIN = { maxConcurrent: 1, maxQueued: 4 }
const INCOMING_TIMEOUT_MS = 5_000

/** Any client can name any domain, so the numbers of fetches, failures and cached keys are bounded. */
export function makeRemoteKeys({ settings, db, clock, fetch }: Ports): RemoteKeys {
  const cache = new Map<string, CachedKeys>()
  const failures = new Map<string, { readonly until: number; readonly error: unknown }>()
  const inFlight = new Map<string, Promise<CachedKeys>>()
  const incoming = makeConcurrencyLimiter(INCOMING_LIMITS)
  const incomingOfDomain = makeKeyedLimiter(INCOMING_LIMITS_PER_DOMAIN)
  const nowMs = (): number => clock.now().getTime()

  function limited(domain: string, direction: Direction): Promise<CachedKeys> {
    if (direction === 'outgoing') return fetchKeys(domain)
    const key = settings.umaLocalPeers.includes(domain) ? domain : registrableDomain(domain)
    return incomingOfDomain.run(key, () => incoming.run(() => fetchKeys(domain, INCOMING_TIMEOUT_MS)))
  }

  async function fetchKeys(domain: string, totalMs?: number): Promise<CachedKeys> {
    const url = `${originOf(settings, domain)}/.well-known/lnurlpubkey`
    const answer = await fetch(url, totalMs === undefined ? {} : { totalMs })
    if (answer.status !== 200) throw new Error(`the request for keys was answered with ${answer.status}`)
    const now = clock.now()
    const { expiresAtSeconds, signing, encryption } = readKeyDocument(answer.text, now)
    const expiresAt = new Date(Math.min(expiresAtSeconds ?? 0, epochSeconds(now) + KEYS_LIVE_SECONDS) * 1000)
    const keys = { signing, encryption, fetchedAt: now, expiresAt }
    cache.delete(domain)
    if (expiresAt <= now) return keys
    await db.query(SAVE, [domain, JSON.stringify({ signing, encryption }), now.toISOString(), expiresAt.toISOString()])
    setBounded(cache, domain, keys, MAX_CACHED)
    return keys
  }

  /**
   * One fetch at a time per domain and direction. Incoming fetches have less time, so their failures do not count for
   * outgoing ones.
   */
  async function fetchOnce(domain: string, direction: Direction): Promise<CachedKeys> {
    const key = `${direction} ${domain}`
    const failed = failures.get(key)
    if (failed !== undefined && failed.until > nowMs()) throw failed.error
    const started = inFlight.get(key)
    if (started !== undefined) return started
    const fetching = limited(domain, direction)
      .catch((cause: unknown) => {
        // A full queue says nothing about the domain.
        const isOverload = isBusy(cause) || (isFetchError(cause) && cause.problem === 'busy')
        const error = isOverload ? notFetched(domain, '', cause) : rememberedFault(domain, cause)
        if (!isOverload) setBounded(failures, key, { until: nowMs() + FAILURE_SECONDS * 1_000, error }, MAX_FAILURES)
        throw error
      })
      .finally(() => inFlight.delete(key))
    inFlight.set(key, fetching)
    return fetching
  }

  async function stored(domain: string): Promise<CachedKeys | undefined> {
    const [row] = await db.query(READ, [domain, clock.now().toISOString()])
    if (row === undefined) return undefined
    const keys = { ...row.document, fetchedAt: row.fetched_at, expiresAt: row.expires_at }
    setBounded(cache, domain, keys, MAX_CACHED)
    return keys
  }

  return {
    async get(domain, direction) {
      const cached = cache.get(domain)
      if (cached !== undefined && cached.expiresAt > clock.now()) return cached
      return (await stored(domain)) ?? fetchOnce(domain, direction)
    },
    async refresh(domain, direction) {
      const tried = cache.get(domain)
      const kept = await stored(domain)
      // Another instance has fetched newer keys.
      if (kept !== undefined && tried !== undefined && kept.fetchedAt > tried.fetchedAt) return kept
      if (kept === undefined || nowMs() - kept.fetchedAt.getTime() < MIN_REFRESH_INTERVAL_MS) return undefined
      return fetchOnce(domain, direction)
    },
  }
}

function rememberedFault(domain: string, cause: unknown): Error {
  if (!isUmaFault(cause)) return notFetched(domain, ` ${KEYS_ARE_REQUESTED_AGAIN}`, cause)
  const { code, message } = cause
  return umaFault(
    code,
    `The public keys of ${domain} cannot be used: ${message} (${code}). ${KEYS_ARE_REQUESTED_AGAIN}`,
    { cause },
  )
}

function notFetched(domain: string, advice: string, cause: unknown): Error {
  return umaFault('COUNTERPARTY_PUBKEY_FETCH_ERROR', `The public keys of ${domain} could not be fetched.${advice}`, {
    cause,
  })
}
