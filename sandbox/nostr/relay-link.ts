import type { Event, VerifiedEvent } from 'nostr-tools/core'
import type { Filter } from 'nostr-tools/filter'
import { AbstractRelay } from 'nostr-tools/abstract-relay'
import { verifyEvent } from 'nostr-tools/pure'
import { Relay, useWebSocketImplementation } from 'nostr-tools/relay'
import { PatientWebSocket } from './web-socket'

useWebSocketImplementation(PatientWebSocket)

const CONNECT_MS = 5_000
const FIRST_RETRY_MS = 500
const SLOWEST_RETRY_MS = 5_000

/** A connection to a relay. It is opened again when it breaks. */
export interface RelayLink {
  connected(): boolean
  /** @throws Error when the relay cannot be reached or rejects the event. */
  publish(event: Event): Promise<void>
  close(): void
}

export interface RelayLinkOptions {
  /** Called on each connection: the filters to subscribe to. */
  readonly filters: () => Filter[]
  readonly onEvent: (event: Event) => void
  /** Verifying a signature takes milliseconds. `later`: events arrive unverified, and the caller verifies each. */
  readonly signatures?: 'checked' | 'later'
  /** Called after each connection: a relay may have forgotten earlier events. */
  readonly onConnected?: (link: RelayLink) => void
}

export function keepConnected(url: string, options: RelayLinkOptions): RelayLink {
  let relay: AbstractRelay | undefined
  let closed = false
  let retryMs = FIRST_RETRY_MS
  let timer: NodeJS.Timeout | undefined

  const link: RelayLink = {
    connected: () => relay?.connected === true,
    async publish(event) {
      if (relay?.connected !== true) throw new Error('The relay is not connected.')
      await relay.publish(event)
    },
    close() {
      closed = true
      clearTimeout(timer)
      relay?.close()
    },
  }

  async function connect(): Promise<void> {
    const next = new AbstractRelay(url, {
      verifyEvent: options.signatures === 'later' ? (_event): _event is VerifiedEvent => true : verifyEvent,
      websocketImplementation: PatientWebSocket as unknown as typeof globalThis.WebSocket,
    })
    try {
      await next.connect({ timeout: CONNECT_MS })
    } catch {
      return retry()
    }
    if (closed) return next.close()
    relay = next
    retryMs = FIRST_RETRY_MS
    // The library's own hook: a relay is not an EventTarget.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    next.onclose = retry
    next.subscribe(options.filters(), { onevent: options.onEvent })
    options.onConnected?.(link)
  }

  function retry(): void {
    relay = undefined
    if (closed) return
    timer = setTimeout(() => void connect(), retryMs)
    retryMs = Math.min(retryMs * 2, SLOWEST_RETRY_MS)
  }

  void connect()
  return link
}

/**
 * Queries a relay once for stored events, newest first. @throws Error when it cannot be reached in time, or does not answer: that
 * it has no such event is only known from its answer.
 */
export async function askRelay(url: string, filter: Filter, patienceMs: number): Promise<Event[]> {
  const relay = new Relay(url)
  const deadline = Date.now() + patienceMs
  await relay.connect({ timeout: patienceMs })
  try {
    return await new Promise<Event[]>((resolve, reject) => {
      const events: Event[] = []
      const done = (): void => {
        clearTimeout(timer)
        resolve(events.toSorted((a, b) => b.created_at - a.created_at))
      }
      const giveUp = (why: string): void => {
        clearTimeout(timer)
        if (events.length > 0) return done()
        return reject(new Error(why))
      }
      const timer = setTimeout(() => giveUp('no answer in time'), Math.max(0, deadline - Date.now()))
      relay.subscribe([filter], {
        onevent: (event) => void events.push(event),
        oneose: done,
        onclose: (reason) => giveUp(`it refused: ${reason}`),
      })
    })
  } finally {
    relay.close()
  }
}
