import { epochSeconds, type Clock } from '../platform/clock'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { setBounded } from '../platform/concurrency/bounded-map'
import { isFetchError } from '../platform/net/fetch-error'
import type { GuardedFetch, GuardedRequest } from '../platform/net/guarded-fetch'
import type { Settings } from '../platform/config'
import { isBusy, makeConcurrencyLimiter } from '../platform/concurrency/concurrency-limiter'
import { moneyHasMoved } from './dealings'
import { originOf } from './domains'
import { isUmaFault, umaFault } from './fault'
import { KEYS_LIVE_SECONDS } from './key-document'
import { readKeyDocument, type PublicKeys } from './read-keys'
import { makeKnownQueue, makeStrangersQueue } from './strangers'

export interface PeerKeys {
  /**
   * The public keys of a VASP, from the cache where they are fresh.
   * @throws UmaFault COUNTERPARTY_PUBKEY_FETCH_ERROR when they cannot be had, or what is wrong with them.
   */
  of(domain: string, whose: Initiative): Promise<KnownKeys>
  /** Those of this moment, for once that a signature did not hold; undefined when they were fetched just now. */
  again(domain: string, whose: Initiative): Promise<PublicKeys | undefined>
}

/** Who wants the keys: we ourselves, or somebody who sent us a message and may be anybody. */
export type Initiative = 'ours' | 'theirs'

export interface KnownKeys extends PublicKeys {
  /** When they were fetched. */
  readonly fetchedAt: Date
}

interface Parts {
  readonly settings: Pick<Settings, 'umaLocalPeers'>
  readonly db: Database
  readonly clock: Clock
  readonly fetch: GuardedFetch
}

interface Row {
  readonly document: PublicKeys
  readonly fetched_at: Date
  readonly expires_at: Date
}

interface AtHand {
  readonly keys: KnownKeys
  readonly expiresAt: Date
}

interface Failure {
  readonly until: number
  readonly error: unknown
}

const READ = statement<Row>(
  'read_uma_peer_keys',
  `select document, fetched_at, expires_at from uma_remote_keys where domain = $1 and expires_at > $2`,
)
/**
 * What has expired goes with the next that comes, so that made-up domains do not pile up. Rows that another is renewing are
 * left: two that waited for each other's would be a deadlock.
 */
const KEEP = statement(
  'keep_uma_peer_keys',
  `with gone as (
           delete from uma_remote_keys where domain in (
             select domain from uma_remote_keys where expires_at < $3 and domain <> $1 for update skip locked
           )
         )
         insert into uma_remote_keys (domain, document, fetched_at, expires_at) values ($1, $2::jsonb, $3, $4)
         on conflict (domain) do update
         set document = excluded.document, fetched_at = excluded.fetched_at, expires_at = excluded.expires_at`,
)

const FAILURE_LIVES_MS = 60_000
const MOST_FAILURES = 1_000
/** Every message asks for keys, some of them several times; so many VASPs are remembered besides in the database. */
const MOST_AT_HAND = 1_000
/** Whoever has sent us a message keeps a place for so long at most. */
const THEIRS_TOTAL_MS = 5_000
/** Keys fetched within this time are not fetched again for a signature that does not hold. */
const FRESH_MS = 10_000

/**
 * Keys of other VASPs: kept in the database for as long as they allow, five minutes at most. A failed fetch is remembered
 * for a minute, in memory and for so many domains only, because anybody can name any domain.
 */
export function makePeerKeys(parts: Parts): PeerKeys {
  const { db, clock, fetch } = parts
  const underWay = new Map<string, Promise<KnownKeys>>()
  const failures = new Map<string, Failure>()
  const atHand = new Map<string, AtHand>()
  // Messages of strangers take places of their own, so that neither our questions nor VASPs that we deal with wait for them.
  const ours = makeConcurrencyLimiter({ maxConcurrent: 5, maxQueued: 100 })
  const known = makeKnownQueue(parts.settings.umaLocalPeers)
  const strangers = makeStrangersQueue(parts.settings.umaLocalPeers)

  async function inTurn(domain: string, whose: Initiative): Promise<KnownKeys> {
    if (whose === 'ours') return ours.run(() => fetchKeys(domain))
    const inTurnOf = (await moneyHasMoved(db, domain)) ? known : strangers
    return inTurnOf(domain, () => fetchKeys(domain, { totalMs: THEIRS_TOTAL_MS }))
  }

  async function fetchKeys(domain: string, request: GuardedRequest = {}): Promise<KnownKeys> {
    const answer = await fetch(`${originOf(parts.settings, domain)}/.well-known/lnurlpubkey`, request)
    if (answer.status !== 200) throw new Error(`the keys were answered with ${answer.status}`)
    const now = clock.now()
    const { expiresAtSeconds, ...keys } = readKeyDocument(answer.text, now)
    const until = Math.min(expiresAtSeconds ?? 0, epochSeconds(now) + KEYS_LIVE_SECONDS)
    const { signing, encryption } = keys
    const fetched = { signing, encryption, fetchedAt: now }
    const expiresAt = new Date(until * 1000)
    atHand.delete(domain)
    if (expiresAt <= now) return fetched
    await db.query(KEEP, [domain, JSON.stringify({ signing, encryption }), now.toISOString(), expiresAt.toISOString()])
    setBounded(atHand, domain, { keys: fetched, expiresAt }, MOST_AT_HAND)
    return fetched
  }

  async function fetchOnce(domain: string, whose: Initiative): Promise<KnownKeys> {
    // A stranger's fetch may have to wait, and has less time: neither its turn nor its failure is ours.
    const [byUs, byThem] = [`ours ${domain}`, `theirs ${domain}`]
    const failed = [failures.get(byUs), whose === 'theirs' ? failures.get(byThem) : undefined].find(isFailure)
    if (failed !== undefined) throw failed.error
    const begun = underWay.get(byUs) ?? (whose === 'theirs' ? underWay.get(byThem) : undefined)
    if (begun !== undefined) return begun
    const place = whose === 'ours' ? byUs : byThem
    const work = inTurn(domain, whose).catch((cause: unknown) => {
      const error = isUmaFault(cause) ? cause : notFetched(domain, cause)
      // A place that was not free says nothing about the domain.
      const isOurs = isBusy(cause) || (isFetchError(cause) && cause.problem === 'busy')
      if (!isOurs) remember(place, error)
      throw error
    })
    underWay.set(place, work)
    try {
      return await work
    } finally {
      underWay.delete(place)
    }
  }

  function isFailure(failed: Failure | undefined): failed is Failure {
    return failed !== undefined && failed.until > clock.now().getTime()
  }

  function remember(place: string, error: unknown): void {
    setBounded(failures, place, { until: clock.now().getTime() + FAILURE_LIVES_MS, error }, MOST_FAILURES)
  }

  async function cached(domain: string): Promise<KnownKeys | undefined> {
    const kept = atHand.get(domain)
    if (kept !== undefined && kept.expiresAt > clock.now()) return kept.keys
    return stored(domain)
  }

  async function stored(domain: string): Promise<KnownKeys | undefined> {
    const [row] = await db.query(READ, [domain, clock.now().toISOString()])
    if (row === undefined) return undefined
    const keys = { ...row.document, fetchedAt: row.fetched_at }
    setBounded(atHand, domain, { keys, expiresAt: row.expires_at }, MOST_AT_HAND)
    return keys
  }

  return {
    async of(domain, whose) {
      return (await cached(domain)) ?? fetchOnce(domain, whose)
    },
    async again(domain, whose) {
      const tried = atHand.get(domain)?.keys
      const kept = await stored(domain)
      // Another instance has fetched them since.
      if (kept !== undefined && tried !== undefined && kept.fetchedAt > tried.fetchedAt) return kept
      if (kept === undefined || clock.now().getTime() - kept.fetchedAt.getTime() < FRESH_MS) return undefined
      return fetchOnce(domain, whose)
    },
  }
}

function notFetched(domain: string, cause: unknown): Error {
  return umaFault('COUNTERPARTY_PUBKEY_FETCH_ERROR', `The public keys of ${domain} could not be fetched.`, { cause })
}
