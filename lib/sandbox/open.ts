import type { SandboxTools, SandboxToolsParts } from '../backend/sandbox-tools'
import { keepNoticingExpiry } from '../connections/expiry'
import { openEventFeed } from '../events/feed'
import { createEventRecorder } from '../events/recorder'
import { keepTrimmingEvents } from '../events/retention'
import { createFaultInjector } from './faults/injector'
import { keepDeletingEndedFaults } from './faults/service'
import type { ForPages } from './for-pages'
import { openRateDesk } from './pinned-rates'
import { openTestValues } from './test-values/open'
import { keepRemovingUnusedUsers } from './users/sandbox-users'

/**
 * Opens the sandbox tools and starts their background tasks. `lib/start.ts` loads this folder only with the sandbox tools, and takes
 * all of them or none.
 */
export async function openSandboxTools(parts: SandboxToolsParts): Promise<SandboxTools> {
  const { db, clock, log, limits, settings, listedRates } = parts
  const events = createEventRecorder({ db, log })
  const eventFeed = await openEventFeed({ db, log })
  const rateDesk = await openRateDesk({ db, log, listed: listedRates })
  keepTrimmingEvents(db, (error) => log.warn({ error }, 'old events were not deleted'))
  keepNoticingExpiry({ db, clock, events }, (error) => log.warn({ error }, 'expired connections were not recorded'))
  keepDeletingEndedFaults(db, (error) => log.warn({ error }, 'ended faults were not deleted'))
  keepRemovingUnusedUsers({ db, log })
  const forPages: ForPages = { rateDesk }
  return {
    ...openTestValues({ db, clock, log, settings }),
    events,
    eventFeed,
    faults: createFaultInjector({ db, limits }),
    rates: rateDesk.rates,
    forPages,
  }
}
