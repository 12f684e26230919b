import type { NostrEvent } from 'nostr-tools/core'
import { z } from 'zod'

/** A set, so that the events are compared with many values as fast as with one. */
const values = z
  .array(z.string().max(256))
  .max(500)
  .transform((list): ReadonlySet<string> => new Set(list))
const seconds = z.int().min(0)

const Shape = z.object({
  ids: values.optional(),
  authors: values.optional(),
  kinds: z.array(z.int()).max(100).optional(),
  since: seconds.optional(),
  until: seconds.optional(),
  limit: z.int().min(0).optional(),
})

export interface Filter extends z.output<typeof Shape> {
  /** From a tag's one-letter name to values. The event must have one of the values. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>
}

const MAX_TAG_CONDITIONS = 20

/** Parses a filter of a REQ; undefined when it is invalid. Fields that NIP-01 does not define are ignored. */
export function parseFilter(raw: unknown): Filter | undefined {
  const parsed = Shape.safeParse(raw)
  if (!parsed.success) return undefined
  const conditions = Object.entries(raw as object).filter(([name]) => /^#[A-Za-z]$/.test(name))
  if (conditions.length > MAX_TAG_CONDITIONS) return undefined
  const tags = new Map<string, ReadonlySet<string>>()
  for (const [name, value] of conditions) {
    const list = values.safeParse(value)
    if (!list.success) return undefined
    tags.set(name.slice(1), list.data)
  }
  return { ...parsed.data, tags }
}

/** Whether the event satisfies every condition of the filter. No event satisfies an empty list. */
export function matches(filter: Filter, event: NostrEvent): boolean {
  if (filter.ids !== undefined && !filter.ids.has(event.id)) return false
  if (filter.authors !== undefined && !filter.authors.has(event.pubkey)) return false
  if (filter.kinds !== undefined && !filter.kinds.includes(event.kind)) return false
  if (filter.since !== undefined && event.created_at < filter.since) return false
  if (filter.until !== undefined && event.created_at > filter.until) return false
  for (const [name, wanted] of filter.tags)
    if (!event.tags.some(([tag, value]) => tag === name && value !== undefined && wanted.has(value))) return false
  return true
}
