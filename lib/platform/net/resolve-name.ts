import { Resolver, type LookupAddress } from 'node:dns'
import type { Resolve } from './public-lookup'

/** A name whose servers do not answer fails after about three seconds. */
const EACH_TRY_MS = 1_000
const TRIES = 2

/**
 * Queries the name servers directly. `dns.lookup` runs on a few threads that the whole process shares, and cannot be
 * cancelled. Clients choose the names here, so names whose servers do not answer would occupy those threads and delay
 * the lookup of the database's host. The machine's hosts file is not read: it has no names of the public internet.
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
        // A name with addresses of one family only is not a failure.
        if (found.length > 0 || failure === null) done(null, found)
        else done(failure, [])
      })
    }
  }
}
