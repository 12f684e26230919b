import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import type { Log } from '../platform/log'
import { makeRateLimiter } from '../platform/rate-limiter'
import { makeTally } from '../platform/tally'
import { currentRequestId, untraced } from '../platform/trace'
import { maskDetail, maskText, storable, textOf } from './mask'
import type { NewEvent } from './types'

export const EVENTS_CHANNEL = 'events'
/** Batches keep the cost of an event low. A page shows an event within this time plus a few milliseconds. */
const FLUSH_AFTER_MS = 100
const MAX_QUEUED = 2_000
/**
 * Recording a call costs a third as much as answering it, so a server at its limit drops events instead. Each owner has a limit.
 * Events without an owner and events that another party caused share one: a flood of refused logins or of other VASPs' messages
 * drops only such events.
 */
const RATE = { perSecond: 500, burst: 2_000 }
const RATE_OF_OWNER = { perSecond: 300, burst: 1_000 }
const MAX_BATCH = 200
/**
 * Of the bodies in a batch. A batch is masked in one turn of the event loop, and requests wait meanwhile: for about 3 ms, and for
 * 30 ms if the bodies are lists of thousands of tiny fields. A single event may exceed it.
 */
const MAX_BATCH_CHARACTERS = 128 * 1024
/** Of all queued bodies, which stay in memory until they are written. */
const MAX_QUEUED_CHARACTERS = 32 * 1024 * 1024
const REPORT_AFTER_MS = 10_000

/** An advisory lock for all instances, held until the commit. Its number differs from that of the migrations' lock. */
const LOCK = 72_707_370

/**
 * One row for each element of the batch, and one notification with the first and last id for all instances. The lock makes the
 * order of the ids the order of the commits: a reader that has seen an event never misses one with a lower id. The commit does not
 * wait for the disk, so a crash of the database may lose the last batches.
 */
const INSERT = statement<{ count: number }>(
  'insert_events',
  `with locked as materialized (
     select pg_advisory_xact_lock(${LOCK}), set_config('synchronous_commit', 'off', true)),
   added as (
     insert into events (kind, name, user_id, connection_id, request_id, payment_hash, status, duration_micros, failed_check, summary,
                         detail, injected, from_outside, recorded_at)
     select kind, name, user_id, connection_id, request_id, payment_hash, status, duration_micros, failed_check, summary, detail,
            injected, from_outside, to_timestamp(recorded_at_ms / 1000.0)
     from locked, jsonb_to_recordset($1::jsonb)
       as event (kind text, name text, user_id text, connection_id text, request_id text, payment_hash text, status integer,
                 duration_micros bigint, failed_check text, summary text, detail jsonb, injected text,
                 from_outside boolean, recorded_at_ms double precision)
     returning id)
   select count(*)::int as count
   from (select pg_notify('${EVENTS_CHANNEL}', min(id)::text || ' ' || max(id)::text) from added) notified`,
)

export interface EventRecorder {
  /** Queues an event. Never throws and never waits: an event above the queue limit or the rate limit is dropped and counted. */
  record(event: NewEvent): void
  /** Writes the queue now, for a page that shows events that it has just caused. Never rejects. */
  flush(): Promise<void>
  /** Number of events dropped since the start because there were too many or the database did not store them. */
  droppedCount(): number
  /** Writes the queue. Events that are recorded afterwards are dropped. */
  close(): Promise<void>
}

/** For `SANDBOX_TOOLS=off`: nothing is recorded. */
export const NO_EVENTS: EventRecorder = {
  record: () => undefined,
  flush: async () => undefined,
  droppedCount: () => 0,
  close: async () => undefined,
}

export function createEventRecorder({ db, log }: { readonly db: Database; readonly log: Log }): EventRecorder {
  const limiter = makeRateLimiter(RATE)
  const ownerLimiter = makeRateLimiter(RATE_OF_OWNER)
  let queue: QueuedEvent[] = []
  let queuedCharacters = 0
  let dropped = 0
  let closed = false
  let flushing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  function schedule(): void {
    if (timer !== undefined || flushing !== undefined) return
    const work = (): void => {
      timer = undefined
      void flush()
    }
    timer = untraced(() => setTimeout(work, FLUSH_AFTER_MS).unref())
  }

  function flush(): Promise<void> {
    flushing ??= writeAll().finally(() => {
      flushing = undefined
      if (queue.length > 0) schedule()
    })
    return flushing
  }

  async function writeAll(): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch()
      try {
        await db.query(INSERT, [JSON.stringify(batch.map(toRow))])
      } catch (error) {
        dropped += batch.length
        log.warn({ error, events: batch.length }, 'events were dropped: the database did not store them')
        return
      }
      // The embedded database answers within the same turn.
      await nextTurn()
    }
  }

  function takeBatch(): QueuedEvent[] {
    let [count, characters] = [0, 0]
    for (const { bodyLength } of queue) {
      if (count === MAX_BATCH || (count > 0 && characters + bodyLength > MAX_BATCH_CHARACTERS)) break
      count += 1
      characters += bodyLength
    }
    const batch = queue.slice(0, count)
    queue = queue.slice(count)
    queuedCharacters -= characters
    return batch
  }

  const drop = makeTally(REPORT_AFTER_MS, (events) => log.warn({ events }, 'events were dropped: too many'))

  return {
    record(event) {
      const isFull = closed || queue.length >= MAX_QUEUED || queuedCharacters >= MAX_QUEUED_CHARACTERS
      if (
        isFull ||
        ownerLimiter.consume((event.fromOutside === true ? undefined : event.userId) ?? '') !== undefined ||
        limiter.consume('') !== undefined
      ) {
        dropped += 1
        drop()
        return
      }
      const { request, response, travelRule } = event.detail ?? {}
      const bodyLength = textOf(request).length + textOf(response).length + (travelRule?.text.length ?? 0)
      queue.push({ event, requestId: event.requestId ?? currentRequestId(), recordedAtMs: Date.now(), bodyLength })
      queuedCharacters += bodyLength
      schedule()
    },
    async flush() {
      await flushing
      await flush()
    },
    droppedCount: () => dropped,
    async close() {
      closed = true
      clearTimeout(timer)
      timer = undefined
      await flushing
      await flush()
    },
  }
}

interface QueuedEvent {
  readonly event: NewEvent
  readonly requestId: string | undefined
  readonly recordedAtMs: number
  /** Request, response and travel rule information, in characters. */
  readonly bodyLength: number
}

function toRow({ event, requestId, recordedAtMs }: QueuedEvent): Record<string, unknown> {
  const { travelRule, ...detail } = event.detail ?? {}
  return {
    kind: event.kind,
    name: storable(event.name.slice(0, 200)),
    user_id: event.userId,
    connection_id: event.connectionId,
    request_id: requestId,
    payment_hash: typeof event.paymentHash === 'function' ? event.paymentHash() : event.paymentHash,
    status: event.status,
    duration_micros: event.durationMs === undefined ? undefined : Math.round(event.durationMs * 1_000),
    failed_check: event.failedCheck,
    summary: maskText((typeof event.summary === 'function' ? event.summary() : event.summary) ?? '', 300),
    detail: maskDetail({ ...detail, ...(event.userId !== undefined && { travelRule }) }),
    injected: event.injected,
    from_outside: event.fromOutside ?? false,
    recorded_at_ms: recordedAtMs,
  }
}
