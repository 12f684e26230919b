import { domainToUnicode } from 'node:url'
import ipaddr from 'ipaddr.js'

/** Names that resolve to this machine or this network. */
const LOCAL_ENDINGS = ['localhost', 'local', 'internal', 'lan', 'home', 'corp', 'intranet', 'arpa', 'onion']
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/**
 * Whether this VASP may connect to a host that another party names: a DNS name on the public internet, without a port.
 * IP addresses in any notation (`10.0.0.1`, `127.1`, `0x7f000001`, `[::1]`) and names of local networks are not
 * allowed.
 */
export function isPublicHostName(host: string): boolean {
  if (host.length > 253) return false
  const labels = host.split('.')
  const ending = labels.at(-1) ?? ''
  // URL parsers read a name whose last label is a decimal or hex number as an IPv4 address.
  if (labels.length < 2 || !/^(?:[a-z]{2,}|xn--[a-z0-9-]+)$/.test(ending)) return false
  if (!labels.every((label) => LABEL.test(label)) || LOCAL_ENDINGS.includes(ending)) return false
  // Invalid Punycode makes the URL parser of older Node versions throw. Newer ones keep the label as it is.
  return URL.canParse(`https://${host}`) && !/(^|\.)xn--/.test(domainToUnicode(host))
}

/**
 * Whether an address belongs to a machine on the public internet. Addresses that contain another address (mapped, 6to4,
 * NAT64, Teredo) do not: they lead wherever the inner address leads.
 */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'unicast'
}
