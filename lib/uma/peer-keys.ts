import { epochSeconds, type Clock } from '../clock'
import type { Database, Statement } from '../db/database'
import { isFetchError } from '../net/fetch-error'
import type { GuardedFetch } from '../net/guarded-fetch'
import type { Settings } from '../settings'
import { isBusy, makeWorkQueue, type WorkQueue } from '../work-queue'
import { originOf } from './domains'
import { isUmaFault, umaFault } from './fault'
import { KEYS_LIVE_SECONDS } from './key-document'
import { readKeyDocument, type PublicKeys } from './read-keys'

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

const READ: Statement = {
  name: 'read_uma_peer_keys',
  text: `select document, fetched_at from uma_peer_keys where domain = $1 and expires_at > $2`,
}
/**
 * What has expired goes with the next that comes, so that made-up domains do not pile up. Rows that another is renewing are
 * left: two that waited for each other's would be a deadlock.
 */
const KEEP: Statement = {
  name: 'keep_uma_peer_keys',
  text: `with gone as (
           delete from uma_peer_keys where domain in (
             select domain from uma_peer_keys where expires_at < $3 and domain <> $1 for update skip locked
           )
         )
         insert into uma_peer_keys (domain, document, fetched_at, expires_at) values ($1, $2::jsonb, $3, $4)
         on conflict (domain) do update
         set document = excluded.document, fetched_at = excluded.fetched_at, expires_at = excluded.expires_at`,
}

const FAILURE_LIVES_MS = 60_000
const MOST_FAILURES = 1_000
/** Keys fetched within this time are not fetched again for a signature that does not hold. */
const FRESH_MS = 10_000

/**
 * Keys of other VASPs: kept in the database for as long as they allow, five minutes at most. A failed fetch is remembered
 * for a minute, in memory and for so many domains only, because anybody can name any domain.
 */
export function makePeerKeys(parts: Parts): PeerKeys {
  const { db, clock, fetch } = parts
  const underWay = new Map<string, Promise<KnownKeys>>()
  const failures = new Map<string, { readonly until: number; readonly error: unknown }>()
  // Messages of strangers take these places only, so that our own questions are not kept waiting by theirs.
  const queues: Readonly<Record<Initiative, WorkQueue>> = {
    ours: makeWorkQueue({ atOnce: 5, mostWaiting: 100 }),
    theirs: makeWorkQueue({ atOnce: 4, mostWaiting: 20 }),
  }

  async function fetchKeys(domain: string): Promise<KnownKeys> {
    const answer = await fetch(`${originOf(parts.settings, domain)}/.well-known/lnurlpubkey`)
    if (answer.status !== 200) throw new Error(`the keys were answered with ${answer.status}`)
    const now = clock.now()
    const { expiresAtSeconds, ...keys } = readKeyDocument(answer.text, now)
    const until = Math.min(expiresAtSeconds ?? 0, epochSeconds(now) + KEYS_LIVE_SECONDS)
    const { signing, encryption } = keys
    if (until > epochSeconds(now))
      await db.query(KEEP, [
        domain,
        JSON.stringify({ signing, encryption }),
        now.toISOString(),
        new Date(until * 1000).toISOString(),
      ])
    return { signing, encryption, fetchedAt: now }
  }

  async function fetchOnce(domain: string, whose: Initiative): Promise<KnownKeys> {
    const failed = failures.get(domain)
    if (failed !== undefined && failed.until > clock.now().getTime()) throw failed.error
    const begun = underWay.get(domain)
    if (begun !== undefined) return begun
    const work = queues[whose]
      .run(() => fetchKeys(domain))
      .catch((cause: unknown) => {
        const error = isUmaFault(cause) ? cause : notFetched(domain, cause)
        // A place that was not free says nothing about the domain.
        const isOurs = isBusy(cause) || (isFetchError(cause) && cause.problem === 'busy')
        if (!isOurs) remember(domain, error)
        throw error
      })
    underWay.set(domain, work)
    try {
      return await work
    } finally {
      underWay.delete(domain)
    }
  }

  function remember(domain: string, error: unknown): void {
    failures.delete(domain)
    failures.set(domain, { until: clock.now().getTime() + FAILURE_LIVES_MS, error })
    const [oldest] = failures.keys()
    if (failures.size > MOST_FAILURES && oldest !== undefined) failures.delete(oldest)
  }

  async function known(domain: string): Promise<KnownKeys | undefined> {
    const [row] = await db.query<{ document: PublicKeys; fetched_at: Date }>(READ, [domain, clock.now().toISOString()])
    return row === undefined ? undefined : { ...row.document, fetchedAt: row.fetched_at }
  }

  return {
    async of(domain, whose) {
      return (await known(domain)) ?? fetchOnce(domain, whose)
    },
    async again(domain, whose) {
      const kept = await known(domain)
      if (kept === undefined || clock.now().getTime() - kept.fetchedAt.getTime() < FRESH_MS) return undefined
      return fetchOnce(domain, whose)
    },
  }
}

function notFetched(domain: string, cause: unknown): Error {
  return umaFault('COUNTERPARTY_PUBKEY_FETCH_ERROR', `The public keys of ${domain} could not be fetched.`, { cause })
}
