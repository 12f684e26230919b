import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { finalizeEvent, generateSecretKey, getPublicKey, type NostrEvent } from 'nostr-tools/pure'
import { npubEncode } from 'nostr-tools/nip19'
import { replaceFile } from '../shared/replace-file'
import { SHOP_NAME } from './products'
import { callbackUrl, type ShopSettings } from './settings'

/** Kind of the event with an app's name and its registered redirect URIs. */
const CLIENT_APP_KIND = 13_195

export interface Identity {
  readonly secretKey: Uint8Array
  readonly publicKey: string
  readonly npub: string
}

/** The shop's Nostr key, generated at the first run and kept in a file that only this user can read. */
export function loadIdentity(folder: string): Identity {
  const file = join(folder, 'nostr.key')
  if (!existsSync(file)) replaceFile(file, `${Buffer.from(generateSecretKey()).toString('hex')}\n`)
  const hex = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(hex))
    throw new Error(`${file} contains no key: delete it, and the shop creates a new one.`)
  const secretKey = Uint8Array.from(Buffer.from(hex, 'hex'))
  const publicKey = getPublicKey(secretKey)
  return { secretKey, publicKey, npub: npubEncode(publicKey) }
}

/** `client_id` of UMA Auth: the app's key, and the relay on which it is registered. */
export function clientId(identity: Pick<Identity, 'npub'>, relay: string): string {
  return `${identity.npub} ${relay}`
}

export function registration(identity: Identity, settings: ShopSettings, nowSeconds: number): NostrEvent {
  const content = {
    name: SHOP_NAME,
    image: `${settings.APP_ROOT_URL}/mark.svg`,
    nip05: `_@${new URL(settings.APP_ROOT_URL).host}`,
    allowed_redirect_urls: [callbackUrl(settings)],
  }
  return finalizeEvent(
    { kind: CLIENT_APP_KIND, created_at: nowSeconds, tags: [], content: JSON.stringify(content) },
    identity.secretKey,
  )
}
