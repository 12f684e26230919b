import type { Database } from '../platform/db/database'
import type { Log } from '../platform/log'
import { eventsBetween, type EventReader } from './queries'
import { EVENTS_CHANNEL } from './recorder'
import type { EventRow } from './types'

/** A notification with more events than this is read in parts. */
const MAX_READ = 500n

export interface EventFeed {
  /** Calls `onEvent` for each new event that the reader may see, from any instance. Returns the function that ends it. */
  subscribe(reader: EventReader, onEvent: (event: EventRow) => void): () => void
}

/** For `SANDBOX_TOOLS=off`: no event is recorded, so no subscriber receives one. */
export const NO_FEED: EventFeed = { subscribe: () => () => undefined }

/**
 * One listener a process passes new events to the browsers connected to it. Notifications that arrive while the listening connection
 * is lost are missed: a browser asks for what it missed by the id of its last event.
 */
export async function openEventFeed({ db, log }: { readonly db: Database; readonly log: Log }): Promise<EventFeed> {
  const subscribers = new Set<{ readonly reader: EventReader; readonly onEvent: (event: EventRow) => void }>()
  let reading: Promise<void> = Promise.resolve()

  async function publish(firstId: bigint, lastId: bigint): Promise<void> {
    for (let first = firstId; first <= lastId; first += MAX_READ) {
      if (subscribers.size === 0) return
      const last = first + MAX_READ - 1n < lastId ? first + MAX_READ - 1n : lastId
      for (const event of await eventsBetween(db, first, last))
        for (const { reader, onEvent } of subscribers) if (isVisible(event, reader)) onEvent(event)
    }
  }

  await db.listen(EVENTS_CHANNEL, (text) => {
    const ids = /^(\d{1,19}) (\d{1,19})$/.exec(text)
    if (ids === null || subscribers.size === 0) return
    // One after the other, so that subscribers receive the events of an instance in order.
    reading = reading
      .then(() => publish(BigInt(ids[1] ?? ''), BigInt(ids[2] ?? '')))
      .catch((error: unknown) => log.warn({ error }, 'new events could not be read'))
  })

  return {
    subscribe(reader, onEvent) {
      const subscriber = { reader, onEvent }
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
  }
}

function isVisible({ userId }: EventRow, reader: EventReader): boolean {
  return userId === null ? reader.withUnowned : userId === reader.userId
}
