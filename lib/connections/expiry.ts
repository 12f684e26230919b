import type { EventRecorder } from '../events/recorder'
import type { Clock } from '../platform/clock'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { runEvery } from '../platform/run-every'

interface Ports {
  readonly db: Database
  readonly clock: Clock
  readonly events: Pick<EventRecorder, 'record'>
}

const EVERY_MS = 15_000
/** How far back expired connections are looked for, including those that expired while no process ran. */
const LOOK_BACK_MS = 3_600_000
const MAX_NOTICED = 500

const EXPIRED = statement<{ id: string; user_id: string }>(
  'expired_connections_without_event',
  `select c.id, c.user_id from connections c
   where c.expires_at > to_timestamp($1::double precision / 1000) and c.expires_at <= to_timestamp($2::double precision / 1000)
     and c.revoked_at is null
     and not exists (select from events e where e.connection_id = c.id and e.name = 'connection expired')
   order by c.expires_at limit ${MAX_NOTICED}`,
)

/** Records an event for each connection that has expired. Two instances may both record the same expiry. */
export async function noticeExpiry({ db, clock, events }: Ports): Promise<void> {
  const nowMs = clock.now().getTime()
  for (const { id, user_id: userId } of await db.query(EXPIRED, [nowMs - LOOK_BACK_MS, nowMs]))
    events.record({ kind: 'connection', name: 'connection expired', userId, connectionId: id })
}

/** Looks for expired connections every 15 seconds while the process runs. */
export function scheduleExpiryEvents(ports: Ports, onError: (error: unknown) => void): void {
  runEvery(EVERY_MS, () => noticeExpiry(ports), onError)
}
