import type { NostrEvent } from 'nostr-tools/core'
import { verifyEvent } from 'nostr-tools/pure'
import { z } from 'zod'

const hex32 = z.string().regex(/^[0-9a-f]{64}$/)
const hex64 = z.string().regex(/^[0-9a-f]{128}$/)

const Shape = z.object({
  id: hex32,
  pubkey: hex32,
  sig: hex64,
  kind: z.int().min(0).max(65_535),
  created_at: z.int().min(0),
  content: z.string(),
  tags: z.array(z.array(z.string())).max(200),
})

const MAX_SECONDS_AHEAD = 15 * 60

export type Checked = { readonly event: NostrEvent } | { readonly id: string; readonly reason: string }

/**
 * Parses an event that a client sent. A rejection contains the reason in the format that NIP-01 requires after `OK … false`.
 */
export function checkEvent(raw: unknown, nowSeconds: number): Checked {
  const parsed = Shape.safeParse(raw)
  if (!parsed.success) {
    const field = String(parsed.error.issues[0]?.path[0] ?? 'event')
    return { id: idOf(raw), reason: `invalid: ${field} is missing or does not follow NIP-01` }
  }
  const event = parsed.data
  const refuse = (reason: string): Checked => ({ id: event.id, reason: `invalid: ${reason}` })
  if (event.created_at > nowSeconds + MAX_SECONDS_AHEAD) return refuse('created_at is in the future')
  if (isExpired(event, nowSeconds)) return refuse('the event has expired')
  if (!verifyEvent(event)) return refuse('id or signature is wrong')
  return { event }
}

/** The id for an answer about a value that may not be an event. */
export function idOf(raw: unknown): string {
  const id = (raw as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' ? id.slice(0, 64) : ''
}

/** NIP-40. A tag whose value is not a number is ignored. */
export function isExpired(event: Pick<NostrEvent, 'tags'>, nowSeconds: number): boolean {
  const expiration = event.tags.find(([name]) => name === 'expiration')?.[1]
  return expiration !== undefined && /^\d{1,15}$/.test(expiration) && Number(expiration) <= nowSeconds
}

/** Ephemeral events are forwarded, never stored. NWC requests, replies and notifications (23194 to 23197) are ephemeral. */
export function isEphemeral(kind: number): boolean {
  return kind >= 20_000 && kind < 30_000
}

/** Events with the same key replace each other (NIP-01); undefined for kinds that are not replaceable. */
export function replaceableKey(event: NostrEvent): string | undefined {
  const { kind, pubkey } = event
  if (kind === 0 || kind === 3 || (kind >= 10_000 && kind < 20_000)) return `${kind}:${pubkey}`
  if (kind < 30_000 || kind >= 40_000) return undefined
  return `${kind}:${pubkey}:${event.tags.find(([name]) => name === 'd')?.[1] ?? ''}`
}
