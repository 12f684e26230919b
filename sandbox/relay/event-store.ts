import type { NostrEvent } from 'nostr-tools/core'
import { isExpired, replaceableKey } from './event'
import { matches, type Filter } from './filter'

export type Added = 'new' | 'duplicate' | 'older'

const MOST_PER_QUERY = 500

/** The relay's memory: a capped list of events. Nothing is written to disk, so a restart forgets everything. */
export class EventStore {
  private readonly byId = new Map<string, NostrEvent>()
  private readonly newestOf = new Map<string, NostrEvent>()

  constructor(private readonly mostEvents = 5_000) {}

  get size(): number {
    return this.byId.size
  }

  add(event: NostrEvent): Added {
    if (this.byId.has(event.id)) return 'duplicate'
    const key = replaceableKey(event)
    if (key !== undefined) {
      const before = this.newestOf.get(key)
      if (before !== undefined && !isNewer(event, before)) return 'older'
      if (before !== undefined) this.byId.delete(before.id)
      this.newestOf.set(key, event)
    }
    this.byId.set(event.id, event)
    this.dropBeyondTheCap()
    return 'new'
  }

  /** Events of the filter, newest first, at most as many as it asks for. */
  query(filter: Filter, nowSeconds: number): NostrEvent[] {
    const most = Math.min(filter.limit ?? MOST_PER_QUERY, MOST_PER_QUERY)
    const found: NostrEvent[] = []
    for (const event of this.byId.values()) {
      if (isExpired(event, nowSeconds)) this.drop(event)
      else if (matches(filter, event)) found.push(event)
    }
    return found.sort((one, other) => (isNewer(one, other) ? -1 : 1)).slice(0, most)
  }

  /** A Map keeps the order of arrival: the first is the one that came longest ago. */
  private dropBeyondTheCap(): void {
    for (const event of this.byId.values()) {
      if (this.byId.size <= this.mostEvents) return
      this.drop(event)
    }
  }

  private drop(event: NostrEvent): void {
    this.byId.delete(event.id)
    const key = replaceableKey(event)
    if (key !== undefined && this.newestOf.get(key) === event) this.newestOf.delete(key)
  }
}

/** At equal times the lower id wins (NIP-01), so that every relay keeps the same one. */
function isNewer(one: NostrEvent, other: NostrEvent): boolean {
  if (one.created_at !== other.created_at) return one.created_at > other.created_at
  return one.id < other.id
}
