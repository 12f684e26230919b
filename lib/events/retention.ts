import type { Database } from '../platform/db/database'
import { deleteInSlices, deletion, SLICE, type Deleted } from '../platform/db/delete-in-slices'
import { statement } from '../platform/db/statement'
import { runEvery } from '../platform/run-every'

export interface EventLimits {
  readonly maxRows: number
  /** Of one owner's own calls and payments, and of the events without an owner. */
  readonly maxRowsPerOwner: number
  /** Of what other parties caused for one owner: messages of other VASPs, and received payments. */
  readonly maxOutsideRowsPerOwner: number
  readonly maxAgeHours: number
}
export const EVENT_LIMITS: EventLimits = {
  maxRows: 100_000,
  maxRowsPerOwner: 5_000,
  maxOutsideRowsPerOwner: 500,
  maxAgeHours: 24,
}
const EVERY_MS = 10_000

/**
 * The newest event of each owner, and of those without an owner. One look at the index for each, however many events there are.
 */
const NEWEST = statement<{ user_id: string | null; id: bigint }>(
  'newest_event_of_each_owner',
  `with recursive newest as (
     (select user_id, id from events where user_id is not null order by user_id, id desc limit 1)
     union all
     select next.user_id, next.id from newest cross join lateral (
       select user_id, id from events where user_id > newest.user_id order by user_id, id desc limit 1) next)
   select user_id, id from newest
   union all (select user_id, id from events where user_id is null order by user_id, id desc limit 1)`,
)

const trimmingOf = (chosen: string): string => deletion('events', 'id', chosen)
// `between`, and an order that begins with the user, leave the planner one index: the user's own.
const OF_OWNER = statement<Deleted>(
  'trim_events_of_owner',
  trimmingOf(
    `select id from events where user_id between $1 and $1 and from_outside = $2 order by user_id, id desc offset $3 limit ${SLICE}`,
  ),
)
const UNOWNED = statement<Deleted>(
  'trim_events_without_owner',
  trimmingOf(`select id from events where user_id is null order by user_id, id desc offset $1 limit ${SLICE}`),
)
const BEYOND_TOTAL = statement<Deleted>(
  'trim_events_in_all',
  trimmingOf(`select id from events order by id desc offset $1 limit ${SLICE}`),
)
/** Ids follow the order in which events are stored, so the oldest are first. */
const OLD = statement<Deleted>(
  'trim_old_events',
  trimmingOf(`select id from (select id, recorded_at from events order by id limit ${SLICE}) oldest
     where recorded_at < now() - make_interval(hours => $1)`),
)

/**
 * Deletes events beyond the limits. A flood evicts only events of its own kind: of one owner, of what other parties caused for one
 * owner, or without an owner. Owners without an event after `sinceId` are left out. Safe to run on several instances concurrently.
 */
export async function trimEvents(
  db: Database,
  limits: EventLimits = EVENT_LIMITS,
  sinceId = 0n,
): Promise<{ readonly trimmed: number; readonly newestId: bigint }> {
  let trimmed = await deleteInSlices(db, OLD, [limits.maxAgeHours])
  const owners = await db.query(NEWEST)
  for (const { user_id: owner, id } of owners) {
    if (id <= sinceId) continue
    if (owner === null) trimmed += await deleteInSlices(db, UNOWNED, [limits.maxRowsPerOwner])
    else {
      trimmed += await deleteInSlices(db, OF_OWNER, [owner, false, limits.maxRowsPerOwner])
      trimmed += await deleteInSlices(db, OF_OWNER, [owner, true, limits.maxOutsideRowsPerOwner])
    }
  }
  const mostRows = owners.length * (limits.maxRowsPerOwner + limits.maxOutsideRowsPerOwner)
  if (mostRows > limits.maxRows) trimmed += await deleteInSlices(db, BEYOND_TOTAL, [limits.maxRows])
  const newestId = owners.reduce((newest, { id }) => (id > newest ? id : newest), sinceId)
  return { trimmed, newestId }
}

/** Trims every 10 seconds while the process runs. */
export function scheduleEventTrimming(db: Database, onError: (error: unknown) => void): void {
  let sinceId = 0n
  const trim = async (): Promise<void> => {
    sinceId = (await trimEvents(db, EVENT_LIMITS, sinceId)).newestId
  }
  runEvery(EVERY_MS, trim, onError)
}
