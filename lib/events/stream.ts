import type { Database } from '../platform/db/database'
import type { EventFeed } from './feed'
import { toLiveEvent } from './live-event'
import { listEvents, type EventReader } from './queries'
import type { EventRow } from './types'

/** A new stream repeats at most this many missed events, the newest ones. */
const MAX_REPEATED = 1_000
/** Maximum number of events that wait for a slow browser. Beyond it, the stream ends, and the next stream repeats the missed events. */
const MAX_UNREAD = 1_000
/** Shorter than the idle time after which a proxy closes a connection. */
export const HEARTBEAT_MS = 15_000
/** A browser has one stream for all its tabs. */
export const MAX_STREAMS_PER_SESSION = 8
/** A team may share one user, each member with a session of its own. */
export const MAX_STREAMS_PER_USER = 100

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // With `no-cache` alone Next compresses the stream, which delays its events.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

export interface StreamRequest {
  readonly reader: EventReader
  readonly sessionId: string
  /** The last event that the browser has. The stream begins after it. */
  readonly afterId: bigint | undefined
  /** Ends the stream when the browser is gone. */
  readonly signal: AbortSignal
  /** Called before events are sent, and at each heartbeat: the stream ends with its session. */
  readonly isSessionLive: () => Promise<boolean>
}

interface StreamPorts {
  readonly db: Database
  readonly eventFeed: EventFeed
}

/**
 * The events of one reader as server-sent events (HTML, section 9.2). `id` is the event's id and `data` a `LiveEvent` as JSON.
 * No event that arrives after the session has ended is sent. The answer is 429 when the session has `MAX_STREAMS_PER_SESSION`
 * streams open, or the user `MAX_STREAMS_PER_USER`.
 */
export function streamEvents(
  { db, eventFeed }: StreamPorts,
  { reader, sessionId, afterId, signal, isSessionLive }: StreamRequest,
  heartbeatMs = HEARTBEAT_MS,
): Response {
  const [ofSession, ofUser] = [
    eventFeed.subscriptionsOf(reader.userId, sessionId),
    eventFeed.subscriptionsOf(reader.userId),
  ]
  if (ofSession >= MAX_STREAMS_PER_SESSION || ofUser >= MAX_STREAMS_PER_USER)
    return new Response('Too many event streams are open. Close tabs that you no longer need.', {
      status: 429,
      headers: { 'Retry-After': '30' },
    })
  let end: () => void = () => undefined
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const encoder = new TextEncoder()
        let sentId = afterId ?? 0n
        /** New events, until the missed ones are sent and the session has been checked. */
        let waiting: EventRow[] = []
        let sending = false
        let ended = false

        const send = (text: string): void => {
          if (ended) return
          if ((controller.desiredSize ?? 0) <= -MAX_UNREAD) return end()
          controller.enqueue(encoder.encode(text))
        }
        // Ids are in the order of commits, so an event whose id is not above the last one sent is a repetition.
        const sendEvent = (event: EventRow): void => {
          if (event.id <= sentId) return
          sentId = event.id
          send(`id: ${event.id}\ndata: ${JSON.stringify(toLiveEvent(event))}\n\n`)
        }
        const heartbeat = setInterval(() => {
          isSessionLive().then(
            (isLive) => (isLive ? send(':\n\n') : end()),
            // The database does not answer. The next heartbeat asks again.
            () => send(':\n\n'),
          )
        }, heartbeatMs)
        heartbeat.unref()
        let unsubscribe: () => void = () => undefined
        end = () => {
          if (ended) return
          ended = true
          waiting = []
          clearInterval(heartbeat)
          unsubscribe()
          signal.removeEventListener('abort', end)
          controller.close()
        }
        signal.addEventListener('abort', end)
        if (signal.aborted) return end()
        unsubscribe = eventFeed.subscribe({
          reader,
          sessionId,
          onEvent: (event) => {
            waiting.push(event)
            if (waiting.length > MAX_UNREAD) end()
            else if (!sending) void sendWaiting(undefined)
          },
          onClose: end,
        })

        // The first bytes, so that the browser knows that the stream is open.
        send(':\n\n')
        if (afterId !== undefined) void sendWaiting(afterId)

        /** Each event is sent after a check of the session that began when the event had arrived. */
        async function sendWaiting(missedAfterId: bigint | undefined): Promise<void> {
          sending = true
          try {
            if (missedAfterId !== undefined) {
              const missed = await listEvents({ db }, reader, { afterId: missedAfterId, limit: MAX_REPEATED })
              for (const event of missed.toReversed()) sendEvent(event)
            }
            while (waiting.length > 0) {
              const arrived = waiting
              waiting = []
              if (!(await isSessionLive())) return end()
              for (const event of arrived) sendEvent(event)
            }
          } catch {
            // The browser connects again, and is sent what it missed.
            end()
          }
          sending = false
        }
      },
      cancel: () => end(),
    },
    new CountQueuingStrategy({ highWaterMark: 0 }),
  )
  return new Response(body, { headers: HEADERS })
}
