import * as nip04 from 'nostr-tools/nip04'
import * as nip44 from 'nostr-tools/nip44'
import { setBounded } from '../../lib/platform/concurrency/bounded-map'

/** The two encryptions of NWC. NIP-04 texts contain `?iv=`. */
export type Scheme = 'nip44_v2' | 'nip04'

export function schemeOf(content: string): Scheme {
  return content.includes('?iv=') ? 'nip04' : 'nip44_v2'
}

/** Deriving a key costs milliseconds, so the keys of the most recent peers are cached. */
const keys = new Map<string, Uint8Array>()
const KEPT_KEYS = 500

function conversationKey(secret: Uint8Array, peer: string): Uint8Array {
  const name = `${Buffer.from(secret).toString('base64')} ${peer}`
  const known = keys.get(name)
  if (known !== undefined) return known
  const key = nip44.getConversationKey(secret, peer)
  setBounded(keys, name, key, KEPT_KEYS)
  return key
}

export function seal(scheme: Scheme, secret: Uint8Array, peer: string, text: string): string {
  return scheme === 'nip04' ? nip04.encrypt(secret, peer, text) : nip44.encrypt(text, conversationKey(secret, peer))
}

/** @throws Error when the text was not encrypted for this pair of keys. */
export function open(scheme: Scheme, secret: Uint8Array, peer: string, content: string): string {
  return scheme === 'nip04'
    ? nip04.decrypt(secret, peer, content)
    : nip44.decrypt(content, conversationKey(secret, peer))
}
