import { finalizeEvent, type NostrEvent } from 'nostr-tools/pure'
import { z } from 'zod'
import { open, schemeOf, seal, type Scheme } from '../nostr/sealed'

export const REQUEST_KIND = 23_194
export const REPLY_KIND = 23_195
export const INFO_KIND = 13_194

/** The keys of an encrypted conversation: our secret and the wallet's public key. */
export interface Ends {
  readonly secret: string
  readonly wallet: string
}

const Reply = z.object({
  result_type: z.string().nullish(),
  error: z.object({ code: z.string(), message: z.string().nullish() }).nullish(),
  result: z.record(z.string(), z.unknown()).nullish(),
})
export type Reply = z.output<typeof Reply>

/** The better of the encryptions that the wallet's info event names; NIP-04 when it names none (NIP-47). */
export function encryptionOf(info: Pick<NostrEvent, 'tags'>): Scheme {
  const named = info.tags.find(([name]) => name === 'encryption')?.[1] ?? ''
  return named.split(/\s+/).includes('nip44_v2') ? 'nip44_v2' : 'nip04'
}

/** Encrypts a request for the wallet. The request expires when the shop stops waiting for the answer. */
export function sealRequest(
  ends: Ends,
  encryption: Scheme,
  request: { readonly method: string; readonly params: object },
  time: { readonly nowSeconds: number; readonly lifeSeconds: number },
): NostrEvent {
  const text = JSON.stringify(request)
  const secretKey = bytes(ends.secret)
  const tags = [
    ['p', ends.wallet],
    ['expiration', String(time.nowSeconds + time.lifeSeconds)],
  ]
  // A request without the tag is NIP-04 by definition.
  if (encryption === 'nip44_v2') tags.push(['encryption', encryption], ['v', '1.0'])
  const content = seal(encryption, secretKey, ends.wallet, text)
  return finalizeEvent({ kind: REQUEST_KIND, created_at: time.nowSeconds, tags, content }, secretKey)
}

/** @throws Error when the reply cannot be decrypted or is not a NIP-47 reply. */
export function openReply(ends: Ends, event: Pick<NostrEvent, 'content'>): Reply {
  const text = open(schemeOf(event.content), bytes(ends.secret), ends.wallet, event.content)
  const parsed = Reply.safeParse(JSON.parse(text))
  if (!parsed.success) throw new Error('it is not a NIP-47 reply')
  return parsed.data
}

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
