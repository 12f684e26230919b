import { createHash } from 'node:crypto'
import { schnorr } from '@noble/curves/secp256k1.js'
import { z } from 'zod'
import { parseJson } from '../platform/parse-json'
import { visibleText } from '../platform/visible-text'

/** The kind of the event with which an app says who it is (UMA Auth, client apps). */
export const IDENTITY_KIND = 13_195

/** The maximum length of a name that is shown, in characters. */
const MAX_NAME = 80

const hex32 = z.string().regex(/^[0-9a-f]{64}$/)
const IdentityEvent = z.object({
  id: hex32,
  pubkey: hex32,
  created_at: z.int().nonnegative(),
  kind: z.literal(IDENTITY_KIND),
  tags: z.array(z.array(z.string())),
  content: z.string(),
  sig: z.string().regex(/^[0-9a-f]{128}$/),
})
const Content = z.object({ name: z.string().nullish().catch(null), display_name: z.string().nullish().catch(null) })

export interface AppIdentity {
  /** What the app calls itself: one visible line of at most 80 characters. Any app can choose any name. */
  readonly name: string
  readonly createdAtSeconds: number
}

/**
 * The name in an identity event that a relay has sent (NIP-01, kind 13195). Undefined when the event is not from this author, its
 * signature is wrong, or it has no name.
 * @param event parsed JSON from a relay, which is not trusted.
 * @param author the app's public key, 64 hex digits.
 */
export function readIdentity(event: unknown, author: string): AppIdentity | undefined {
  const { data } = IdentityEvent.safeParse(event)
  if (data === undefined || data.pubkey !== author) return undefined
  const signed = JSON.stringify([0, data.pubkey, data.created_at, data.kind, data.tags, data.content])
  const id = createHash('sha256').update(signed).digest()
  if (id.toString('hex') !== data.id || !isSigned(data.sig, id, author)) return undefined
  const content = Content.safeParse(parseJson(data.content)).data
  const name = shown(content?.name) ?? shown(content?.display_name)
  return name === undefined ? undefined : { name, createdAtSeconds: data.created_at }
}

function shown(name: string | null | undefined): string | undefined {
  return visibleText(name?.slice(0, MAX_NAME))
}

/** False also for a key that is no point of the curve. */
function isSigned(signature: string, id: Buffer, author: string): boolean {
  try {
    return schnorr.verify(Buffer.from(signature, 'hex'), id, Buffer.from(author, 'hex'))
  } catch {
    return false
  }
}
