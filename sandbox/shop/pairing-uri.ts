import { isLocalHost, readUrl } from './uma-address'

export interface Pairing {
  /** The gateway's public key, hex. */
  readonly wallet: string
  readonly relay: string
  /** Further relays of the wallet, for when the first cannot be used. */
  readonly otherRelays?: readonly string[]
  /** The secret key of this connection, hex. */
  readonly secret: string
  readonly address: string | undefined
}

const HEX_64 = /^[0-9a-f]{64}$/
const LONGEST = 2_000
const MAX_RELAYS = 5

/**
 * Reads `nostr+walletconnect://<key>?relay=…&secret=…&lud16=…`. Gateways write the values raw or percent-encoded, and
 * both are read. `ownRelay` is accepted without encryption, as relays of this machine are. @throws Error that names the
 * invalid part, and never contains the secret.
 */
export function parsePairingUri(raw: string, ownRelay?: string): Pairing {
  const text = raw.trim()
  if (text.length > LONGEST) throw new Error('This is too long for a pairing URI.')
  const parts = /^nostr\+walletconnect:(?:\/\/)?([^?/]+)\/?\?(.+)$/i.exec(text)
  if (parts === null) throw new Error('A pairing URI begins with nostr+walletconnect:// and has a ? after the key.')
  const [, key = '', query = ''] = parts
  const wallet = key.toLowerCase()
  if (!HEX_64.test(wallet)) throw new Error('The key before the ? must be 64 hex digits.')
  const valuesOf = readQuery(query)
  const secret = onlyOne('secret', valuesOf).toLowerCase()
  if (!HEX_64.test(secret)) throw new Error('The part secret= must be 64 hex digits.')
  const [relay, ...otherRelays] = readRelays(valuesOf('relay'), ownRelay)
  return {
    wallet,
    relay,
    ...(otherRelays.length === 0 ? {} : { otherRelays }),
    secret,
    address: onlyOne('lud16', valuesOf).slice(0, 320) || undefined,
  }
}

/** @throws Error when the parts of this name have different values: another reader might use another one. */
function onlyOne(name: string, valuesOf: (name: string) => string[]): string {
  const [value = '', ...others] = new Set(valuesOf(name))
  if (others.length > 0) throw new Error(`The part ${name}= is given twice, with different values.`)
  return value
}

/**
 * The values of a name in a query, raw or percent-encoded. A plus sign is a plus sign: no gateway writes a space into
 * these values, and `$carol+shop@…` is an address.
 */
function readQuery(query: string): (name: string) => string[] {
  const pairs = query.split('&').map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [name, decodeLeniently(value.join('='))] as const
  })
  return (name) => pairs.filter(([each]) => each === name).map(([, value]) => value)
}

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The usable relays in their order. @throws Error with the problem of the first relay when none is usable. */
function readRelays(texts: readonly string[], ownRelay: string | undefined): readonly [string, ...string[]] {
  const found = new Set<string>()
  let problem: unknown
  for (const text of texts) {
    try {
      found.add(readRelay(text, ownRelay))
    } catch (error) {
      problem ??= error
    }
  }
  const [first, ...others] = found
  if (first === undefined) throw problem ?? new Error('The part relay= is missing.')
  return [first, ...others.slice(0, MAX_RELAYS - 1)]
}

function readRelay(text: string, ownRelay: string | undefined): string {
  const url = readUrl(text)
  if (url === undefined || (url.protocol !== 'wss:' && url.protocol !== 'ws:'))
    throw new Error('The part relay= must be the wss:// address of a relay.')
  const isOwn = ownRelay !== undefined && readUrl(ownRelay)?.href === url.href
  if (url.protocol === 'ws:' && !isLocalHost(url.hostname) && !isOwn)
    throw new Error('A relay without encryption (ws://) is accepted on this machine only, or if it is the shop’s own.')
  return url.href.replace(/\/$/, '')
}
