import { AbstractRelay } from 'nostr-tools/abstract-relay'
import type { Event, VerifiedEvent } from 'nostr-tools/core'
import type { Filter } from 'nostr-tools/filter'
import { verifyEvent } from 'nostr-tools/pure'
import { makeConcurrencyLimiter } from '../../lib/platform/concurrency/concurrency-limiter'
import { PatientWebSocket } from './web-socket'

export class RelayDown extends Error {}
export class RelayLost extends Error {}
export class RelayRefused extends Error {}
export class NoReply extends Error {}

/** Delays between attempts; the last one repeats. */
const RETRY_MS = [500, 1_000, 2_000, 3_000]
const CONNECT_MS = 3_000
const LOOKUP_MS = 3_000
/** Relays limit the subscriptions of a client; ours allows twenty. Further requests are queued. */
const MAX_CONCURRENT = 12

/** What a connection does beside single requests. */
export interface RelayLinkOptions {
  /** Called on each connection: the filters to subscribe to. */
  readonly filters?: () => Filter[]
  readonly onEvent?: (event: Event) => void
  /** Verifying a signature takes milliseconds. `later`: events arrive unverified, and the caller verifies each. */
  readonly signatures?: 'checked' | 'later'
  /** Called after each connection: a relay may have forgotten earlier events. */
  readonly onConnected?: (link: RelayLink) => void
}

/** One connection to a relay. It is opened again when it breaks. */
export class RelayLink {
  private relay: AbstractRelay | undefined
  private opening: Promise<AbstractRelay> | undefined
  private timer: NodeJS.Timeout | undefined
  private failures = 0
  private stopped = false
  private readonly turns = makeConcurrencyLimiter({
    maxConcurrent: MAX_CONCURRENT,
    maxQueued: Number.POSITIVE_INFINITY,
  })

  constructor(
    readonly url: string,
    private readonly options: RelayLinkOptions = {},
  ) {}

  get isUp(): boolean {
    return this.relay?.connected === true
  }

  /** Keeps the connection open from now on. */
  start(): this {
    void this.open().catch(() => undefined)
    return this
  }

  stop(): void {
    this.stopped = true
    clearTimeout(this.timer)
    this.relay?.close()
  }

  /** @throws Error when the relay cannot be reached or rejects the event. */
  async publish(event: Event): Promise<void> {
    const relay = await this.open()
    await relay.publish(event)
  }

  /** The newest stored event that matches the filter; undefined when there is none. @throws RelayDown, RelayLost */
  lookUp(filter: Filter): Promise<Event | undefined> {
    return this.converse<Event | undefined>(filter, LOOKUP_MS, (_, done) => ({
      onevent: (event) => done(event),
      oneose: () => done(undefined),
      timeout: () => done(undefined),
    }))
  }

  /**
   * All stored events that match the filter, newest first. That the relay has none is known from its answer only.
   * @throws RelayDown, RelayLost (refused), NoReply
   */
  list(filter: Filter, timeoutMs: number): Promise<Event[]> {
    const events: Event[] = []
    const newestFirst = (): Event[] => events.toSorted((a, b) => b.created_at - a.created_at)
    return this.converse<Event[]>(filter, timeoutMs, (_, done, fail) => ({
      onevent: (event) => events.push(event),
      oneose: () => done(newestFirst()),
      timeout: () => (events.length > 0 ? done(newestFirst()) : fail(new NoReply('no answer in time'))),
    }))
  }

  /**
   * Sends a request and waits for the first event that matches the filter.
   * @throws RelayDown (not sent), RelayRefused (not forwarded), RelayLost or NoReply (sent, outcome unknown)
   */
  request(event: Event, reply: Filter, timeoutMs: number): Promise<Event> {
    return this.converse<Event>(reply, timeoutMs, (relay, done, fail) => ({
      onevent: (answer) => done(answer),
      timeout: () => fail(new NoReply(`no answer within ${timeoutMs / 1000} s`)),
      begin: () =>
        void relay.publish(event).catch((error: unknown) => {
          // Only an explicit refusal counts. A relay that does not acknowledge may have forwarded the request.
          const reason = error instanceof Error ? error.message : ''
          if (/^[a-z-]+: /.test(reason)) fail(new RelayRefused(reason))
        }),
    }))
  }

  private converse<T>(
    filter: Filter,
    timeoutMs: number,
    play: (relay: AbstractRelay, done: (value: T) => void, fail: (error: Error) => void) => Turn,
  ): Promise<T> {
    return this.turns.run(async () => {
      const relay = await this.open()
      return await new Promise<T>((resolve, reject) => {
        let over = false
        const end = (settle: () => void): void => {
          if (over) return
          over = true
          clearTimeout(timer)
          subscription.close()
          settle()
        }
        const turn = play(
          relay,
          (value) => end(() => resolve(value)),
          (error) => end(() => reject(error)),
        )
        const timer = setTimeout(turn.timeout, timeoutMs)
        const subscription = relay.prepareSubscription([filter], {
          onevent: turn.onevent,
          ...(turn.oneose === undefined ? {} : { oneose: turn.oneose }),
          onclose: (reason) => end(() => reject(new RelayLost(reason))),
          eoseTimeout: timeoutMs + 1_000,
        })
        subscription.fire()
        turn.begin?.()
      })
    })
  }

  /** The open connection, or one attempt to open it. @throws RelayDown */
  private open(): Promise<AbstractRelay> {
    if (this.relay?.connected === true) return Promise.resolve(this.relay)
    this.opening ??= this.connect().finally(() => (this.opening = undefined))
    return this.opening
  }

  private async connect(): Promise<AbstractRelay> {
    clearTimeout(this.timer)
    const relay = new AbstractRelay(this.url, {
      verifyEvent: this.options.signatures === 'later' ? (_event): _event is VerifiedEvent => true : verifyEvent,
      websocketImplementation: PatientWebSocket as unknown as typeof globalThis.WebSocket,
      enablePing: true,
    })
    relay.onnotice = () => undefined
    try {
      await relay.connect({ timeout: CONNECT_MS })
    } catch (error) {
      this.retryLater()
      throw new RelayDown(`${this.url} cannot be reached`, { cause: error })
    }
    if (this.stopped) {
      relay.close()
      throw new RelayDown(`${this.url} is no longer used`)
    }
    this.relay = relay
    this.failures = 0
    // The relay of nostr-tools is not an EventTarget: it takes one handler only.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    relay.onclose = () => {
      if (this.relay === relay) this.relay = undefined
      this.retryLater()
    }
    const { filters, onEvent = () => undefined, onConnected } = this.options
    if (filters !== undefined) relay.subscribe(filters(), { onevent: onEvent })
    onConnected?.(this)
    return relay
  }

  private retryLater(): void {
    if (this.stopped) return
    clearTimeout(this.timer)
    const wait = RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)]
    this.timer = setTimeout(() => void this.open().catch(() => undefined), wait)
    this.timer.unref()
  }
}

interface Turn {
  readonly onevent: (event: Event) => unknown
  readonly oneose?: () => void
  readonly timeout: () => void
  readonly begin?: () => void
}
