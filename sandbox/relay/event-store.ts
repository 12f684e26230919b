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
  /** When it is forgotten, whatever its author wished. */
  readonly endSeconds: number
}

export interface Bounds {
  readonly events: number
  /** Of all events together, as text. */
  readonly bytes: number
  readonly seconds: number
  /** What others look up (profiles, the identities of apps) stays longer, because it is published seldom. */
  readonly replaceableSeconds: number
}

const BOUNDS: Bounds = {
  events: 5_000,
  bytes: 16 * 1024 * 1024,
  seconds: DAY_SECONDS,
  replaceableSeconds: 30 * DAY_SECONDS,
}

/** The relay's memory: bounded by number, size and age. A restart forgets everything but what `disk` keeps. */
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

  /** Takes in what was kept on disk: once, before the first event arrives. */
  load(nowSeconds: number): this {
    for (const event of this.disk?.read(nowSeconds) ?? []) this.insert(event, nowSeconds)
    return this
  }

  get size(): number {
    return this.byId.size
  }

  /** Of all events together, as text. */
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

  /** Events of the filter, newest first, at most as many as it asks for. */
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

  /** A Map keeps the order of arrival: the first is the one that came longest ago. */
  private dropBeyondTheBounds(): void {
    for (const { event } of this.byId.values()) {
      if (this.byId.size <= this.bounds.events && this.held <= this.bounds.bytes) return
      this.drop(event)
    }
  }

  /** Now and then, so that what nobody asks for goes too. */
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

/** At equal times the lower id wins (NIP-01), so that every relay keeps the same one. */
function isNewer(one: NostrEvent, other: NostrEvent): boolean {
  if (one.created_at !== other.created_at) return one.created_at > other.created_at
  return one.id < other.id
}
