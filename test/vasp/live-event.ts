import type { LiveEvent } from '@/lib/events/live-event'

/** An API call that succeeded, with the given values. */
export function liveEvent(values: Partial<LiveEvent> = {}): LiveEvent {
  return {
    id: '1',
    recordedAt: '2026-11-24T12:00:00.000Z',
    kind: 'api_call',
    name: 'GET /balance',
    userId: 'alice',
    connectionId: 'one',
    requestId: null,
    paymentHash: null,
    status: 200,
    durationMs: 1,
    failedCheck: null,
    summary: '',
    injected: null,
    ...values,
  }
}
