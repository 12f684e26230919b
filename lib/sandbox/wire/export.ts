import { toLiveEvent } from '../../events/live-event'
import { listEvents, type EventFilter, type EventReader } from '../../events/queries'
import type { Database } from '../../platform/db/database'
import { withHiddenEscaped } from '../../platform/visible-text'

/**
 * All events that the filter matches, newest first, each as JSON with the fields that pages receive. The retention limits the events
 * of an owner (`EVENT_LIMITS`), so the export has a limit too.
 */
export async function* exportedEvents(
  db: Database,
  reader: EventReader,
  filter: Omit<EventFilter, 'limit'>,
  sliceSize = 500,
): AsyncGenerator<readonly string[], void> {
  for (let { beforeId } = filter; ;) {
    const events = await listEvents({ db }, reader, { ...filter, beforeId, limit: sliceSize })
    yield events.map((event) => withHiddenEscaped(JSON.stringify(toLiveEvent(event))))
    if (events.length < sliceSize) return
    beforeId = events.at(-1)?.id
  }
}
