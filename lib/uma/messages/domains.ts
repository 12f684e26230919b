import type { Settings } from '../../platform/config'
import { isPublicHostName } from '../../platform/net/allowed-host'

type DomainSettings = Pick<Settings, 'umaLocalPeers' | 'vaspDomain'>

/**
 * Whether this VASP may call the VASP at that domain: a public host name or a local peer in the settings, but never
 * this VASP itself.
 */
export function isOtherVasp({ umaLocalPeers, vaspDomain }: DomainSettings, domain: string): boolean {
  return domain !== vaspDomain && (umaLocalPeers.includes(domain) || isPublicHostName(domain))
}

/** The origin of a VASP. */
export function originOf({ umaLocalPeers }: Pick<Settings, 'umaLocalPeers'>, domain: string): string {
  return `${umaLocalPeers.includes(domain) ? 'http' : 'https'}://${domain}`
}

/** The given callback URL if it belongs to the VASP at `domain`; otherwise undefined. */
export function ownAddressOf(
  settings: Pick<Settings, 'umaLocalPeers'>,
  address: string | null | undefined,
  domain: string,
): string | undefined {
  return address != null && isAddressOf(settings, address, domain) ? address : undefined
}

/**
 * Whether a URL belongs to a VASP: its own host or, over https, a subdomain. Without this check, a VASP could make this
 * VASP send requests to any host.
 */
export function isAddressOf(settings: Pick<Settings, 'umaLocalPeers'>, address: string, domain: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const home = new URL(originOf(settings, domain))
  if (url === undefined || url.protocol !== home.protocol || url.username !== '' || url.password !== '') return false
  return url.host === home.host || (home.protocol === 'https:' && url.host.endsWith(`.${home.host}`))
}
