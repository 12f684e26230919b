import { npubEncode } from 'nostr-tools/nip19'
import { finalizeEvent, getPublicKey, type NostrEvent } from 'nostr-tools/pure'
import { keptNostrKey } from '../shared/nostr-key'
import { SHOP_NAME } from './products'
import { callbackUrl, type ShopSettings } from './settings'

/** Kind of the event with an app's name and its registered redirect URIs. */
const CLIENT_APP_KIND = 13_195

export interface Identity {
  readonly secretKey: Uint8Array
  readonly publicKey: string
  readonly npub: string
}

export function loadIdentity(folder: string): Identity {
  const secretKey = keptNostrKey(folder)
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
