import { Resolver, type LookupAddress } from 'node:dns'
import type { Resolve } from './public-lookup'

/** A name whose servers do not answer is given up after three seconds or so. */
const EACH_TRY_MS = 1_000
const TRIES = 2

/**
 * Asks the name servers directly. `dns.lookup` would run in the few threads that resolve names for the whole process, the
 * database's too, and cannot be ended: names whose servers are silent would delay all others, and any client can name any
 * name here. The machine's own list of hosts is not looked at, which knows no names of the public internet.
 */
export function makeResolve(resolver = new Resolver({ timeout: EACH_TRY_MS, tries: TRIES })): Resolve {
  return (host, done) => {
    const families = [4, 6] as const
    const found: LookupAddress[] = []
    let failure: Error | null = null
    let left = families.length
    for (const family of families) {
      const ask = family === 4 ? resolver.resolve4.bind(resolver) : resolver.resolve6.bind(resolver)
      ask(host, (error, addresses) => {
        if (error === null) found.push(...addresses.map((address) => ({ address, family })))
        else failure = error
        left -= 1
        if (left > 0) return
        // A name of one family only has no addresses of the other, which is no failure.
        if (found.length > 0 || failure === null) done(null, found)
        else done(failure, [])
      })
    }
  }
}
