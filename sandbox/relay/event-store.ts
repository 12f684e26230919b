import type { NostrEvent } from 'nostr-tools/core'
import { isExpired, replaceableKey } from './event'
import { matches, type Filter } from './filter'
import { isKeptOnDisk, MAX_KEPT_CHARACTERS, MAX_KEPT_EVENTS, type KeptEvents } from './kept-events'

export type Added = 'new' | 'duplicate' | 'older'

const MAX_PER_QUERY = 500

const DAY_SECONDS = 86_400
const SWEEP_EVERY_SECONDS = 60

interface Kept {
  readonly event: NostrEvent
  readonly bytes: number
  /** A client has looked it up by its author or its id. */
  wanted: boolean
  /** The event is deleted by this time, whatever expiration its author set. */
  readonly endSeconds: number
}

export interface Bounds {
  readonly events: number
  /** The total size of all events as text. */
  readonly bytes: number
  /** Bounds of their own for profiles, wallet capabilities and app identities, so that no flood of other events drops one. */
  readonly keptEvents: number
  readonly keptBytes: number
  readonly seconds: number
  /** Events that clients look up later (profiles, app identities) stay longer, because they are published rarely. */
  readonly replaceableSeconds: number
}

const BOUNDS: Bounds = {
  events: 5_000,
  bytes: 16 * 1024 * 1024,
  keptEvents: MAX_KEPT_EVENTS,
  keptBytes: MAX_KEPT_CHARACTERS,
  seconds: DAY_SECONDS,
  replaceableSeconds: 30 * DAY_SECONDS,
}

/** The relay's events in memory, bounded by number, size and age. A restart loses everything except what `disk` keeps. */
export class EventStore {
  private readonly byId = new Map<string, Kept>()
  private readonly newestOf = new Map<string, NostrEvent>()
  private readonly bounds: Bounds
  private readonly heldKept = { events: 0, bytes: 0 }
  private readonly heldOther = { events: 0, bytes: 0 }
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
    return this.heldKept.bytes + this.heldOther.bytes
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
    let wanted = false
    if (key !== undefined) {
      const before = this.newestOf.get(key)
      wanted = before !== undefined && this.byId.get(before.id)?.wanted === true
      if (before !== undefined && !isNewer(event, before)) return 'older'
      if (before !== undefined) this.drop(before)
      this.newestOf.set(key, event)
    }
    const bytes = JSON.stringify(event).length
    const life = key === undefined ? this.bounds.seconds : this.bounds.replaceableSeconds
    this.byId.set(event.id, { event, bytes, wanted, endSeconds: nowSeconds + life })
    this.count(event, 1, bytes)
    this.dropBeyondTheBounds(event)
    return 'new'
  }

  /** Events that match the filter, newest first, up to its limit. */
  query(filter: Filter, nowSeconds: number): NostrEvent[] {
    const most = Math.min(filter.limit ?? MAX_PER_QUERY, MAX_PER_QUERY)
    const found: NostrEvent[] = []
    this.sweep(nowSeconds)
    const isLookup = filter.authors !== undefined || filter.ids !== undefined
    for (const kept of this.byId.values()) {
      const { event } = kept
      if (isExpired(event, nowSeconds)) this.drop(event)
      else if (matches(filter, event)) {
        found.push(event)
        kept.wanted ||= isLookup
      }
    }
    return found.sort((one, other) => (isNewer(one, other) ? -1 : 1)).slice(0, most)
  }

  /**
   * Events are dropped in the order of their arrival, which a Map keeps. Of those that clients look up later, the ones that
   * no client has looked up are dropped first: a stranger can invent any number of authors, but not another client that wants them.
   */
  private dropBeyondTheBounds(newest: NostrEvent): void {
    const ofKept = isKeptOnDisk(newest)
    const held = ofKept ? this.heldKept : this.heldOther
    const most = ofKept
      ? { events: this.bounds.keptEvents, bytes: this.bounds.keptBytes }
      : { events: this.bounds.events, bytes: this.bounds.bytes }
    for (const isWanted of ofKept ? [false, true] : [undefined])
      for (const { event, wanted } of this.byId.values()) {
        if (held.events <= most.events && held.bytes <= most.bytes) return
        const mayGo = event !== newest && isKeptOnDisk(event) === ofKept
        if (mayGo && (isWanted ?? wanted) === wanted) this.drop(event)
      }
  }

  private count(event: NostrEvent, events: number, bytes: number): void {
    const held = isKeptOnDisk(event) ? this.heldKept : this.heldOther
    held.events += events
    held.bytes += bytes
  }

  /** Runs at intervals, so that events that no client queries expire too. */
  private sweep(nowSeconds: number): void {
    if (nowSeconds < this.sweptAtSeconds + SWEEP_EVERY_SECONDS) return
    this.sweptAtSeconds = nowSeconds
    for (const { event, endSeconds } of this.byId.values())
      if (endSeconds <= nowSeconds || isExpired(event, nowSeconds)) this.drop(event)
  }

  private drop(event: NostrEvent): void {
    const kept = this.byId.get(event.id)
    if (kept !== undefined) this.count(event, -1, -kept.bytes)
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
