import type { Database } from '../platform/db/database'
import type { Log } from '../platform/log'
import { eventsBetween, type EventReader } from './queries'
import { EVENTS_CHANNEL } from './recorder'
import type { EventRow } from './types'

/** Events of one notification are read in batches of at most this size. */
const MAX_READ = 500n

export interface EventSubscriber {
  readonly reader: EventReader
  /** The session that the events are sent to. */
  readonly sessionId?: string | undefined
  readonly onEvent: (event: EventRow) => void
  /** Called once: when the feed closes, or at the subscription if the feed has already closed. */
  readonly onClose?: (() => void) | undefined
}

export interface EventFeed {
  /** Passes on each new event of any instance that the reader may see. Returns the function that ends the subscription. */
  subscribe(subscriber: EventSubscriber): () => void
  /** Open subscriptions of this user in this process; with a session, only those of the session. */
  subscriptionsOf(userId: string, sessionId?: string): number
  /** Ends all subscriptions. */
  close(): void
}

/** For `SANDBOX_TOOLS=off`: no event is recorded, so no subscriber receives one. */
export const NO_FEED: EventFeed = {
  subscribe: () => () => undefined,
  subscriptionsOf: () => 0,
  close: () => undefined,
}

/**
 * One listener in each process passes new events to the subscribers, each event once and in the order of ids. When notifications
 * are lost with the listening connection, or a read fails, their events arrive with the next notification.
 */
export async function openEventFeed({ db, log }: { readonly db: Database; readonly log: Log }): Promise<EventFeed> {
  const subscribers = new Set<EventSubscriber>()
  let closed = false
  let reading: Promise<void> = Promise.resolve()
  let publishedId: bigint | undefined

  async function publish(firstId: bigint, lastId: bigint): Promise<void> {
    // Known before the first read, so that events of a read that fails arrive with the next notification.
    publishedId ??= firstId - 1n
    while (publishedId < lastId) {
      const nextId: bigint = publishedId + 1n
      const last = nextId + MAX_READ <= lastId ? nextId + MAX_READ - 1n : lastId
      const events = subscribers.size === 0 ? [] : await eventsBetween(db, nextId, last)
      publishedId = last
      for (const event of events)
        for (const { reader, onEvent } of subscribers) if (isVisible(event, reader)) onEvent(event)
    }
  }

  await db.listen(EVENTS_CHANNEL, (text) => {
    const ids = /^(\d{1,19}) (\d{1,19})$/.exec(text)
    if (ids === null) return
    // One after the other, so that subscribers receive the events in order.
    reading = reading
      .then(() => publish(BigInt(ids[1] ?? ''), BigInt(ids[2] ?? '')))
      .catch((error: unknown) => log.warn({ error }, 'new events could not be read'))
  })

  return {
    subscribe(subscriber) {
      if (closed) subscriber.onClose?.()
      else subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    subscriptionsOf: (userId, sessionId) =>
      [...subscribers].filter(
        (each) => each.reader.userId === userId && (sessionId === undefined || each.sessionId === sessionId),
      ).length,
    close() {
      closed = true
      for (const { onClose } of subscribers) onClose?.()
      subscribers.clear()
    },
  }
}

function isVisible({ userId }: EventRow, reader: EventReader): boolean {
  return userId === null ? reader.withUnowned : userId === reader.userId
}
