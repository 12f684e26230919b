import { requireSandboxTools, toolsTitle } from '@/app/sandbox/tool-page'
import { LivePage } from '@/components/live-page'
import { Link } from '@/components/ui/link'
import { ExactTime } from '@/components/ui/time'
import { csrfToken } from '@/lib/accounts/sign-in/csrf'
import { application } from '@/lib/backend/application'
import { eventReaderOf, listEvents } from '@/lib/events/queries'
import type { EventRow } from '@/lib/events/types'
import { pinnedRatesOf } from '@/lib/sandbox/for-pages'
import { listDeskUsers } from '@/lib/sandbox/users/sandbox-page'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { EventStatus } from '../developers/wire/event-status'
import { RatesSection } from './rates'
import { ResetOutcome } from './reset-outcome'
import { Shop } from './shop'
import { shopConnections } from './shop-connections'
import { Users } from './users'

export const generateMetadata = toolsTitle('Sandbox desk')

const MOST_EVENTS = 50

interface Props {
  readonly searchParams: SearchParams
}

export default async function DeskPage({ searchParams }: Props) {
  const reader = await requireSandboxTools()
  const current = application()
  const params = await searchParams
  const [users, events] = await Promise.all([
    listDeskUsers(current),
    // No user has this name, so only events without an owner are found.
    listEvents(current, { userId: '', withUnowned: true }, { limit: MOST_EVENTS }),
  ])
  const { settings, clock } = current
  const pinnedRates = pinnedRatesOf(current)
  return (
    <div className="py-8">
      <LivePage kinds={['wallet', 'connection', 'payment', 'login']} />
      <h1>Sandbox desk</h1>
      <p className="mt-3 max-w-2xl text-muted">
        Everyone who uses this sandbox shares its test users. Reset them before a test. For a demonstration,{' '}
        <Link href="/show">the show</Link> also pairs the shop again. To erase all data instead, stop the server and run{' '}
        <code className="whitespace-nowrap">npm run demo -- --reset</code>.
      </p>
      <ResetOutcome reset={singleParam(params.reset)} pending={singleParam(params.pending)} />
      <Users
        users={users}
        reader={reader.username}
        now={clock.now()}
        confirming={singleParam(params.confirm)}
        changed={singleParam(params.changed)}
        signIn={
          // Leaving a temporary user needs the warning of the sign-in page.
          reader.temporary || settings.printedPassword === undefined
            ? undefined
            : { csrf: await csrfToken(settings), password: settings.printedPassword }
        }
      />
      {pinnedRates === undefined ? null : (
        <RatesSection
          rates={pinnedRates.list()}
          changed={singleParam(params.rate)}
          currency={singleParam(params.currency)}
          price={singleParam(params.price) ?? ''}
          error={singleParam(params.error)}
        />
      )}
      {settings.sampleAppUrl === undefined ? null : (
        <Shop
          url={settings.sampleAppUrl.replace(/\/$/, '')}
          connections={await shopConnections(current, users)}
          users={users}
          now={clock.now()}
          isConfirming={singleParam(params.confirm) === 'unpair'}
          isUnpaired={singleParam(params.unpaired) !== undefined}
        />
      )}
      <section aria-labelledby="events" className="mt-12">
        <h2 id="events">Events without an owner</h2>
        <p className="mt-2 mb-4 max-w-2xl text-muted">
          The newest {MOST_EVENTS} refused logins, calls without a valid token, payments to unknown recipients and
          changes of rates. They belong to no user, so a team&rsquo;s sandbox lists them only here.
        </p>
        <Events events={events} hasPages={eventReaderOf(settings, reader.username).withUnowned} />
      </section>
    </div>
  )
}

function Events({ events, hasPages }: { readonly events: readonly EventRow[]; readonly hasPages: boolean }) {
  if (events.length === 0) return <p className="line py-5">No event in the last 24 hours.</p>
  return (
    <ul>
      {events.map(({ id, recordedAt, name, status, summary }) => (
        <li
          key={String(id)}
          className="line grid grid-cols-[1fr_auto] items-baseline gap-x-4 py-2 md:grid-cols-[11rem_14rem_1fr_4rem]"
        >
          <ExactTime className="figures text-muted max-md:col-span-full" at={recordedAt} />
          {hasPages ? (
            <Link className="row-link" href={`/developers/wire/${id}`}>
              {name}
            </Link>
          ) : (
            <span>{name}</span>
          )}
          <span className="min-w-0 break-words text-muted max-md:order-last max-md:col-span-full">{summary}</span>
          <EventStatus status={status} />
        </li>
      ))}
    </ul>
  )
}
