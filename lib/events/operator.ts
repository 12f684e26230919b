import { z } from 'zod'
import type { Database } from '../platform/db/database'
import { toLiveEvent, type LiveEvent } from './live-event'
import { eventsAfter, listNewest } from './queries'
import { EVENT_KINDS } from './types'

/** Maximum number of events in one reply. */
export const MAX_REPLY = 1_000

const EventId = z.string().regex(/^\d{1,18}$/)

/** An operator's request for events of all users, or of one. */
export const EventsRequest = z.strictObject({
  user: z
    .string()
    .regex(/^[a-z0-9_.+-]{1,63}$/)
    .optional(),
  /** Only events after this one. */
  after: EventId.optional(),
  limit: z.int().min(1).max(MAX_REPLY),
})
export type EventsRequest = z.infer<typeof EventsRequest>

/** Oldest first. */
export const EventsReply = z.object({
  events: z.array(
    z.object({
      id: EventId,
      recordedAt: z.string(),
      kind: z.enum(EVENT_KINDS),
      name: z.string(),
      userId: z.string().nullable(),
      connectionId: z.string().nullable(),
      requestId: z.string().nullable(),
      paymentHash: z.string().nullable(),
      status: z.number().nullable(),
      durationMs: z.number().nullable(),
      failedCheck: z.string().nullable(),
      summary: z.string(),
      injected: z.string().nullable(),
    }) satisfies z.ZodType<LiveEvent>,
  ),
})
export type EventsReply = z.infer<typeof EventsReply>

/** The newest events, or with `after` the first ones after that event: a caller that continues after the last one misses none. */
export async function readEvents(db: Database, { user, after, limit }: EventsRequest): Promise<EventsReply> {
  const events =
    after === undefined
      ? (await listNewest(db, user, limit)).toReversed()
      : await eventsAfter(db, user, BigInt(after), limit)
  return { events: events.map(toLiveEvent) }
}
