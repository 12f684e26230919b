import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

export interface EventLimits {
  readonly maxRows: number
  readonly maxRowsPerOwner: number
  readonly maxAgeHours: number
}
export const EVENT_LIMITS: EventLimits = { maxRows: 100_000, maxRowsPerOwner: 5_000, maxAgeHours: 24 }
const EVERY_MS = 10_000

/** Keeps the newest rows of each owner and of the events without an owner, so that a flood evicts only its own events. */
const TRIM_OWNERS = statement(
  'trim_events_of_owners',
  `delete from events e using (
     select o.user_id, (select id from events where user_id = o.user_id order by id desc offset $1 limit 1) as last_id
     from (select distinct user_id from events where user_id is not null) o) owner
   where e.user_id = owner.user_id and e.id <= owner.last_id`,
)
const TRIM_UNOWNED = statement(
  'trim_events_without_owner',
  `delete from events where user_id is null
     and id <= (select id from events where user_id is null order by id desc offset $1 limit 1)`,
)
const TRIM_OLD = statement(
  'trim_old_events',
  `delete from events
   where id <= (select id from events order by id desc offset $1 limit 1)
      or recorded_at < now() - make_interval(hours => $2)`,
)

/** Deletes events beyond the limits. Safe to run on several instances concurrently. */
export async function trimEvents(db: Database, limits: EventLimits = EVENT_LIMITS): Promise<void> {
  await db.query(TRIM_OWNERS, [limits.maxRowsPerOwner])
  await db.query(TRIM_UNOWNED, [limits.maxRowsPerOwner])
  await db.query(TRIM_OLD, [limits.maxRows, limits.maxAgeHours])
}

/** Trims every 10 seconds while the process runs. */
export function keepTrimmingEvents(db: Database, onError: (error: unknown) => void): void {
  let running = false
  const timer = setInterval(() => {
    if (running) return
    running = true
    trimEvents(db)
      .catch(onError)
      .finally(() => {
        running = false
      })
  }, EVERY_MS)
  timer.unref()
}
