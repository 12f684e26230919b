import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from './allowed-host'
import { fetchError } from './fetch-error'

/** All addresses of a name. */
export type Resolve = (host: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void

/**
 * The `lookup` function of a socket. The socket connects only to an address that was checked, so a name whose addresses
 * change after the check cannot lead elsewhere. All addresses of a name must be public: a single private address
 * indicates an attack.
 */
export function publicLookup(resolve: Resolve, isAllowed = isPublicAddress): LookupFunction {
  return (host, options, done) =>
    resolve(host, (error, addresses) => {
      if (error !== null) return done(error, [])
      if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address)))
        return done(fetchError('not-allowed', 'the name resolves to an address that is not public'), [])
      const [first] = addresses
      return options.all === true ? done(null, addresses) : done(null, first?.address ?? '', first?.family ?? 4)
    })
}
