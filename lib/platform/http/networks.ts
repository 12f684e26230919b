import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Network = readonly [Address, number]

/** Reads `10.0.0.0/8, ::1`. Undefined when an entry is neither an address nor a range. */
export function parseNetworks(list: string): readonly Network[] | undefined {
  const entries = list.split(',').map((entry) => entry.trim())
  const networks: Network[] = []
  for (const entry of entries.filter((each) => each !== '')) {
    if (ipaddr.isValidCIDR(entry)) networks.push(ipaddr.parseCIDR(entry))
    else if (ipaddr.isValid(entry))
      networks.push([ipaddr.process(entry), ipaddr.parse(entry).kind() === 'ipv4' ? 32 : 128])
    else return undefined
  }
  return networks
}

export function isInNetworks(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return networks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
}

/**
 * The address of the client. `X-Forwarded-For` is read from the right while the hops are configured proxies, because
 * everything to the left of the first address that is not a proxy's was written by the client at that address. An
 * unreadable hop gives an empty address, which is in no network.
 */
export function clientAddress(socketAddress: string, forwardedFor: string | null, proxies: readonly Network[]): string {
  const hops = (forwardedFor ?? undefined)?.split(',') ?? []
  let address = socketAddress
  while (isInNetworks(address, proxies)) {
    const next = hops.pop()
    if (next === undefined) break
    address = addressOfHop(next.trim())
  }
  return address
}

/** Carries the client's address to Next, whose handlers cannot read the socket. The server overwrites a client's value. */
export const CLIENT_ADDRESS_HEADER = 'x-client-address'

/** Some proxies write the port too: `203.0.113.9:5123`, `[2001:db8::1]:44`. */
function addressOfHop(hop: string): string {
  const address = /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
  return isIP(address) === 0 ? '' : address
}

/** The first half of an IPv6 address identifies the network. The client chooses the rest. */
const V6_NETWORK_BITS = 64

/**
 * The part of an address that a client cannot change at will: the IPv4 address, or the IPv6 network. Undefined for an
 * unknown address.
 */
export function networkOf(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return undefined
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${V6_NETWORK_BITS}`).toString()}/${V6_NETWORK_BITS}`
}
