import type { NostrEvent } from 'nostr-tools/core'
import { finalizeEvent, generateSecretKey, getPublicKey } from 'nostr-tools/pure'
import { RelayLink } from '../../sandbox/nostr/relay-link'
import { open, schemeOf, seal } from '../../sandbox/nostr/sealed'
import { INFO_KIND, REPLY_KIND, REQUEST_KIND } from '../../sandbox/shop/envelope'

/** The answer to a request. Undefined sends no answer; a text is sent as it is, without encryption. */
export type Answer = (request: { method: string; params: Record<string, unknown> }) => object | string | undefined

/** A wallet service for tests: one key, one relay, answers by a function. */
export function fakeWallet(relayUrl: string, answer: Answer, encryption = 'nip44_v2 nip04'): FakeWallet {
  const secretKey = generateSecretKey()
  const publicKey = getPublicKey(secretKey)
  const requests: NostrEvent[] = []
  const now = (): number => Math.floor(Date.now() / 1000)
  const sign = (kind: number, tags: string[][], content: string): NostrEvent =>
    finalizeEvent({ kind, created_at: now(), tags, content }, secretKey)
  const link = new RelayLink(relayUrl, {
    filters: () => [{ kinds: [REQUEST_KIND], '#p': [publicKey] }],
    onConnected: (connected) =>
      void connected
        .publish(sign(INFO_KIND, [['encryption', encryption]], 'get_info pay_invoice'))
        .catch(() => undefined),
    onEvent(event) {
      requests.push(event)
      const scheme = schemeOf(event.content)
      const said = answer(JSON.parse(open(scheme, secretKey, event.pubkey, event.content)) as Parameters<Answer>[0])
      if (said === undefined) return
      const content = typeof said === 'string' ? said : seal(scheme, secretKey, event.pubkey, JSON.stringify(said))
      const tags = [
        ['p', event.pubkey],
        ['e', event.id],
      ]
      void link.publish(sign(REPLY_KIND, tags, content)).catch(() => undefined)
    },
  }).start()
  return { publicKey, requests, link, close: () => link.stop() }
}

export interface FakeWallet {
  readonly publicKey: string
  readonly requests: readonly NostrEvent[]
  readonly link: RelayLink
  readonly close: () => void
}
