import { makeConcurrencyLimiter, type ConcurrencyLimits } from '../platform/concurrency/concurrency-limiter'
import { makeKeyedLimiter } from '../platform/concurrency/keyed-limiter'
import { siteOf } from './sites'

interface Places extends ConcurrencyLimits {
  readonly ofOneSite: ConcurrencyLimits
}

const STRANGERS: Places = { maxConcurrent: 3, maxQueued: 20, ofOneSite: { maxConcurrent: 1, maxQueued: 4 } }
/** A payment costs next to nothing, so they cannot take every place either. */
const KNOWN: Places = { maxConcurrent: 5, maxQueued: 20, ofOneSite: { maxConcurrent: 2, maxQueued: 4 } }

/** Turns for work in the name of a domain. */
export type TurnOfDomain = <Result>(domain: string, work: () => Promise<Result>) => Promise<Result>

/**
 * For work that anybody can cause in the name of any domain. All names below one site have one place together, so
 * that names which cost nothing to make up cannot take all of them.
 */
export const makeStrangersQueue = (localPeers: readonly string[]): TurnOfDomain => makeSitesQueue(localPeers, STRANGERS)

/** The same in the names of domains with which money has moved: two places for the names below one site. */
export const makeKnownQueue = (localPeers: readonly string[]): TurnOfDomain => makeSitesQueue(localPeers, KNOWN)

function makeSitesQueue(localPeers: readonly string[], { ofOneSite, ...places }: Places): TurnOfDomain {
  const all = makeConcurrencyLimiter(places)
  const sites = makeKeyedLimiter(ofOneSite)
  return async (domain, work) => {
    const site = localPeers.includes(domain) ? domain : siteOf(domain)
    return sites.run(site, () => all.run(work))
  }
}
