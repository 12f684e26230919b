import { isLocalHost, readUrl } from './uma-address'

export interface Pairing {
  /** The gateway's public key, hex. */
  readonly wallet: string
  readonly relay: string
  /** The secret key of this connection, hex. */
  readonly secret: string
  readonly address: string | undefined
}

const HEX_64 = /^[0-9a-f]{64}$/
const LONGEST = 2_000

/**
 * Reads `nostr+walletconnect://<key>?relay=…&secret=…&lud16=…`. Gateways write the values raw or percent-encoded, and
 * both are read. @throws Error that names the invalid part, and never contains the secret.
 */
export function parsePairingUri(raw: string): Pairing {
  const text = raw.trim()
  if (text.length > LONGEST) throw new Error('This is too long for a pairing URI.')
  const parts = /^nostr\+walletconnect:(?:\/\/)?([^?/]+)\/?\?(.+)$/i.exec(text)
  if (parts === null) throw new Error('A pairing URI begins with nostr+walletconnect:// and has a ? after the key.')
  const [, key = '', query = ''] = parts
  const wallet = key.toLowerCase()
  if (!HEX_64.test(wallet)) throw new Error('The key before the ? must be 64 hex digits.')
  // A raw `$alice@localhost:3000` or `ws://…` passes through unchanged: it has no per cent sign, plus sign or ampersand.
  const values = new URLSearchParams(query)
  const secret = (values.get('secret') ?? '').toLowerCase()
  if (!HEX_64.test(secret)) throw new Error('The part secret= must be 64 hex digits.')
  return {
    wallet,
    relay: readRelay(values.get('relay')),
    secret,
    address: values.get('lud16')?.slice(0, 320) ?? undefined,
  }
}

function readRelay(text: string | null): string {
  const url = text === null ? undefined : readUrl(text)
  if (url === undefined || (url.protocol !== 'wss:' && url.protocol !== 'ws:'))
    throw new Error('The part relay= must be the wss:// address of a relay.')
  if (url.protocol === 'ws:' && !isLocalHost(url.hostname))
    throw new Error('A relay without encryption (ws://) is accepted on this machine only.')
  return url.href.replace(/\/$/, '')
}
