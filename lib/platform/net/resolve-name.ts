import { Resolver, type LookupAddress } from 'node:dns'
import type { Resolve } from './public-lookup'

/** A name whose servers do not answer fails after about three seconds. */
const EACH_TRY_MS = 1_000
const TRIES = 2

/**
 * Queries the name servers directly. `dns.lookup` would use the few threads that resolve names for the whole process,
 * including the database's host name, and cannot be cancelled: names with silent servers would delay all others, and
 * any client can name any host here. The hosts file of the machine is not read, because it has no names of the public
 * internet.
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
