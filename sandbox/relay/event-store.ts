import type { NostrEvent } from 'nostr-tools/core'
import { isExpired, replaceableKey } from './event'
import { matches, type Filter } from './filter'
import { isKeptOnDisk, type KeptEvents } from './kept-events'

export type Added = 'new' | 'duplicate' | 'older'

const MAX_PER_QUERY = 500

const DAY_SECONDS = 86_400
const SWEEP_EVERY_SECONDS = 60

interface Kept {
  readonly event: NostrEvent
  readonly bytes: number
  /** The event is deleted by this time, whatever expiration its author set. */
  readonly endSeconds: number
}

export interface Bounds {
  readonly events: number
  /** The total size of all events as text. */
  readonly bytes: number
  readonly seconds: number
  /** Events that clients look up later (profiles, app identities) stay longer, because they are published rarely. */
  readonly replaceableSeconds: number
}

const BOUNDS: Bounds = {
  events: 5_000,
  bytes: 16 * 1024 * 1024,
  seconds: DAY_SECONDS,
  replaceableSeconds: 30 * DAY_SECONDS,
}

/** The relay's events in memory, bounded by number, size and age. A restart loses everything except what `disk` keeps. */
export class EventStore {
  private readonly byId = new Map<string, Kept>()
  private readonly newestOf = new Map<string, NostrEvent>()
  private readonly bounds: Bounds
  private held = 0
  private sweptAtSeconds = 0

  constructor(
    bounds: Partial<Bounds> = {},
    private readonly disk?: KeptEvents,
  ) {
    this.bounds = { ...BOUNDS, ...bounds }
  }

  /** Loads the events kept on disk. Call it once, before the first event arrives. */
  load(nowSeconds: number): this {
    for (const event of this.disk?.read(nowSeconds) ?? []) this.insert(event, nowSeconds)
    return this
  }

  get size(): number {
    return this.byId.size
  }

  /** The total size of all events as text. */
  get bytes(): number {
    return this.held
  }

  add(event: NostrEvent, nowSeconds: number): Added {
    const added = this.insert(event, nowSeconds)
    if (added === 'new' && isKeptOnDisk(event)) this.disk?.write(this.keptOnDisk())
    return added
  }

  private keptOnDisk(): NostrEvent[] {
    return [...this.byId.values()].map(({ event }) => event).filter(isKeptOnDisk)
  }

  private insert(event: NostrEvent, nowSeconds: number): Added {
    this.sweep(nowSeconds)
    if (this.byId.has(event.id)) return 'duplicate'
    const key = replaceableKey(event)
    if (key !== undefined) {
      const before = this.newestOf.get(key)
      if (before !== undefined && !isNewer(event, before)) return 'older'
      if (before !== undefined) this.drop(before)
      this.newestOf.set(key, event)
    }
    const bytes = JSON.stringify(event).length
    const life = key === undefined ? this.bounds.seconds : this.bounds.replaceableSeconds
    this.byId.set(event.id, { event, bytes, endSeconds: nowSeconds + life })
    this.held += bytes
    this.dropBeyondTheBounds()
    return 'new'
  }

  /** Events that match the filter, newest first, up to its limit. */
  query(filter: Filter, nowSeconds: number): NostrEvent[] {
    const most = Math.min(filter.limit ?? MAX_PER_QUERY, MAX_PER_QUERY)
    const found: NostrEvent[] = []
    this.sweep(nowSeconds)
    for (const { event } of this.byId.values()) {
      if (isExpired(event, nowSeconds)) this.drop(event)
      else if (matches(filter, event)) found.push(event)
    }
    return found.sort((one, other) => (isNewer(one, other) ? -1 : 1)).slice(0, most)
  }

  /** A Map keeps insertion order: the first event is the oldest arrival. */
  private dropBeyondTheBounds(): void {
    for (const { event } of this.byId.values()) {
      if (this.byId.size <= this.bounds.events && this.held <= this.bounds.bytes) return
      this.drop(event)
    }
  }

  /** Runs at intervals, so that events that no client queries expire too. */
  private sweep(nowSeconds: number): void {
    if (nowSeconds < this.sweptAtSeconds + SWEEP_EVERY_SECONDS) return
    this.sweptAtSeconds = nowSeconds
    for (const { event, endSeconds } of this.byId.values())
      if (endSeconds <= nowSeconds || isExpired(event, nowSeconds)) this.drop(event)
  }

  private drop(event: NostrEvent): void {
    this.held -= this.byId.get(event.id)?.bytes ?? 0
    this.byId.delete(event.id)
    const key = replaceableKey(event)
    if (key !== undefined && this.newestOf.get(key) === event) this.newestOf.delete(key)
  }
}

/** At equal times the lower id is kept (NIP-01), so that every relay keeps the same event. */
function isNewer(one: NostrEvent, other: NostrEvent): boolean {
  if (one.created_at !== other.created_at) return one.created_at > other.created_at
  return one.id < other.id
}
