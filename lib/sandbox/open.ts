import type { SandboxTools, SandboxToolsParts } from '../backend/sandbox-tools'
import { scheduleExpiryEvents } from '../connections/expiry'
import { openEventFeed } from '../events/feed'
import { createEventRecorder } from '../events/recorder'
import { scheduleEventTrimming } from '../events/retention'
import { bookMonth, openingOfMonth } from './example-month/book'
import { createFaultInjector } from './faults/injector'
import { scheduleFaultCleanup } from './faults/service'
import type { ForPages } from './for-pages'
import { openPinnedRates } from './pinned-rates'
import { openTestValues } from './test-values/open'
import { scheduleUserCleanup } from './users/sandbox-users'

/**
 * Opens the sandbox tools and starts their background tasks. `lib/start.ts` loads this folder only with the sandbox tools, and takes
 * all of them or none.
 */
export async function openSandboxTools(parts: SandboxToolsParts): Promise<SandboxTools> {
  const { db, clock, log, limits, settings, listedRates } = parts
  const { lightningNodeKeyHex: nodeKeyHex } = settings
  const events = createEventRecorder({ db, log })
  const eventFeed = await openEventFeed({ db, log })
  const pinnedRates = await openPinnedRates({ db, log, listed: listedRates })
  scheduleEventTrimming(db, (error) => log.warn({ error }, 'old events were not deleted'))
  scheduleExpiryEvents({ db, clock, events }, (error) => log.warn({ error }, 'expired connections were not recorded'))
  scheduleFaultCleanup(db, (error) => log.warn({ error }, 'ended faults were not deleted'))
  scheduleUserCleanup({ db, log })
  const forPages: ForPages = { pinnedRates }
  return {
    ...openTestValues({ db, clock, log, settings }),
    events,
    eventFeed,
    faults: createFaultInjector({ db, limits }),
    rates: pinnedRates.rates,
    // Only a simulated node has a key here, which signs the invoices of the month.
    exampleMonth:
      nodeKeyHex === undefined
        ? undefined
        : {
            openedAt: () => openingOfMonth(db, clock.now()),
            book: (openedAt, house) =>
              bookMonth({ db, house, rates: listedRates.current(), settings, nodeKeyHex }, openedAt),
          },
    forPages,
  }
}
