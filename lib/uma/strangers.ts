import { makeWorkQueue, type WorkQueue } from '../concurrency'
import { siteOf } from './sites'

interface Places {
  readonly atOnce: number
  readonly mostWaiting: number
  readonly ofOneSite: { readonly atOnce: number; readonly mostWaiting: number }
}

const STRANGERS: Places = { atOnce: 3, mostWaiting: 20, ofOneSite: { atOnce: 1, mostWaiting: 4 } }
/** A payment costs next to nothing, so they cannot take every place either. */
const KNOWN: Places = { atOnce: 5, mostWaiting: 20, ofOneSite: { atOnce: 2, mostWaiting: 4 } }

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
  const all = makeWorkQueue(places)
  const sites = new Map<string, WorkQueue>()
  return async (domain, work) => {
    const site = localPeers.includes(domain) ? domain : siteOf(domain)
    const queue = sites.get(site) ?? makeWorkQueue(ofOneSite)
    sites.set(site, queue)
    try {
      return await queue.run(() => all.run(work))
    } finally {
      if (queue.isIdle()) sites.delete(site)
    }
  }
}
