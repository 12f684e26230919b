import { makeWorkQueue, type WorkQueue } from '../work-queue'
import { siteOf } from './sites'

const AT_ONCE = 3
const MOST_WAITING = 20
const MOST_WAITING_OF_ONE_SITE = 4

/**
 * Turns for work that anybody can cause in the name of any domain. All names below one site have one place together, so
 * that names which cost nothing to make up cannot take all of them.
 */
export function makeStrangersQueue(
  localPeers: readonly string[],
): <Result>(domain: string, work: () => Promise<Result>) => Promise<Result> {
  const all = makeWorkQueue({ atOnce: AT_ONCE, mostWaiting: MOST_WAITING })
  const sites = new Map<string, WorkQueue>()
  return async (domain, work) => {
    const site = localPeers.includes(domain) ? domain : siteOf(domain)
    const queue = sites.get(site) ?? makeWorkQueue({ atOnce: 1, mostWaiting: MOST_WAITING_OF_ONE_SITE })
    sites.set(site, queue)
    try {
      return await queue.run(() => all.run(work))
    } finally {
      if (queue.isIdle()) sites.delete(site)
    }
  }
}
