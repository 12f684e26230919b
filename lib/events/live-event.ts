import type { EventKind, EventRow } from './types'

/** An event as the stream sends it: ids as decimal text, times in ISO 8601. */
export interface LiveEvent {
  readonly id: string
  readonly recordedAt: string
  readonly kind: EventKind
  readonly name: string
  readonly userId: string | null
  readonly connectionId: string | null
  readonly requestId: string | null
  readonly status: number | null
  readonly durationMs: number | null
  readonly failedCheck: string | null
  readonly summary: string
  readonly replayOf: string | null
  readonly injected: string | null
}

export function toLiveEvent(event: EventRow): LiveEvent {
  return {
    ...event,
    id: event.id.toString(),
    recordedAt: event.recordedAt.toISOString(),
    replayOf: event.replayOf?.toString() ?? null,
  }
}
