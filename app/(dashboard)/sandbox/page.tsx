import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { hasSandboxTools } from '@/app/sandbox-form'
import { LivePage } from '@/components/live-page'
import { Alert, Success } from '@/components/ui/alert'
import { Identicon } from '@/components/ui/identicon'
import { Moment } from '@/components/ui/time'
import { UserForm } from '@/components/user-form'
import { MAX_DESK_USERS, listDeskUsers, type DeskUser } from '@/lib/accounts/desk'
import { application } from '@/lib/backend/application'
import { eventReaderOf, listEvents } from '@/lib/events/queries'
import type { EventRow } from '@/lib/events/types'
import { CONFIRMATION } from '@/lib/ui/connection-links'
import { one, type SearchParams } from '@/lib/ui/search-params'
import { toTheSecond } from '@/lib/ui/time'
import { Confirmation } from '../connections/confirmation'
import { DeveloperHeading } from '../developers/developer-links'
import { EventStatus } from '../developers/wire/event-status'
import { requireUser } from '../require-user'

export const metadata: Metadata = { title: 'Sandbox desk' }

const MOST_EVENTS = 50
const CONSEQUENCES =
  'Wallets return to their opening balances, connected apps lose access on their next call, and open quotes, invoices and requests expire. Statements keep their entries. You cannot undo this.'

interface Props {
  readonly searchParams: SearchParams
}

export default async function DeskPage({ searchParams }: Props) {
  const reader = await requireUser()
  const current = application()
  if (!(await hasSandboxTools(current))) notFound()
  const params = await searchParams
  const [users, events] = await Promise.all([
    listDeskUsers(current),
    // No user has this name, so only events without an owner are found.
    listEvents(current, { userId: '', withUnowned: true }, { limit: MOST_EVENTS }),
  ])
  const { settings, clock } = current
  const confirming = one(params.confirm)
  return (
    <div className="py-8">
      <LivePage kinds={['wallet', 'connection', 'payment', 'login']} />
      <DeveloperHeading page="/sandbox" />
      <p className="mt-3 max-w-2xl text-muted">
        Everyone who uses this sandbox shares its test users. Reset them before a test or a demonstration. To erase all
        data instead, stop the server and run <code className="whitespace-nowrap">npm run demo -- --reset</code>.
      </p>
      <Outcome reset={one(params.reset)} pending={one(params.pending)} />
      <section aria-labelledby="users" className="mt-10">
        <div className="flex flex-wrap items-end justify-between gap-4">
          <h2 id="users">Users</h2>
          <a className="button button-danger" href={`/sandbox?confirm=all#${CONFIRMATION}`}>
            Reset all
          </a>
        </div>
        {confirming === 'all' ? (
          <ResetConfirmation title={`Reset all ${users.length} users?`} button={`Reset ${users.length} users`} />
        ) : null}
        <ul className="mt-4">
          {users.map((user) => (
            <UserEntry
              key={user.username}
              user={user}
              now={clock.now()}
              isConfirming={confirming === `user:${user.username}`}
            />
          ))}
        </ul>
        {users.length === MAX_DESK_USERS ? (
          <p className="line py-3 text-muted">These are the first {MAX_DESK_USERS} users.</p>
        ) : null}
        <div className="double-rule" />
      </section>
      <Shop url={settings.sampleAppUrl} gateway={settings.gatewayRootUrl.href.replace(/\/$/, '')} />
      <section aria-labelledby="events" className="mt-12">
        <h2 id="events">Events without an owner</h2>
        <p className="mt-2 mb-4 max-w-2xl text-muted">
          The newest {MOST_EVENTS} refused logins, calls without a valid token and payments to unknown recipients. They
          belong to no user, so a team&rsquo;s sandbox lists them only here.
        </p>
        <Events events={events} hasPages={eventReaderOf(settings, reader.username).withUnowned} />
      </section>
    </div>
  )
}

const COUNT = /^\d{1,4}$/
const inWords = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** The URL has both counts, but not the words. */
function Outcome({ reset = '', pending = '' }: { readonly reset?: string; readonly pending?: string }) {
  if (!COUNT.test(reset) || !COUNT.test(pending)) return null
  return (
    <>
      {Number(reset) === 0 ? null : <Success>{inWords(Number(reset), 'user')} reset.</Success>}
      {Number(pending) === 0 ? null : (
        <Alert>
          {inWords(Number(pending), 'user')} not reset, because a payment is in progress. Try again when it has ended.
        </Alert>
      )}
    </>
  )
}

interface UserEntryProps {
  readonly user: DeskUser
  readonly now: Date
  readonly isConfirming: boolean
}

function UserEntry({ user, now, isConfirming }: UserEntryProps) {
  const { username, displayName, address, state, isOnDemand, expiresAt, lastUsedAt, pendingPayments } = user
  return (
    <li className="line py-3" data-live={`${username} ${state} ${pendingPayments}`}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Identicon text={address} size={36} />
        <div className="min-w-0 flex-1 basis-56">
          <h3 className="break-words">{displayName}</h3>
          <code className="break-words">{address}</code>
        </div>
        <p className="label min-w-0 flex-1 basis-44">
          <span className={state === 'active' ? 'text-green' : 'text-red'}>
            {state === 'active' ? '● Active' : '× Suspended'}
          </span>
          {isOnDemand ? ', on demand' : null}
          <span className="block">
            {lastUsedAt === null ? (
              'Not used yet'
            ) : (
              <>
                Used <Moment at={lastUsedAt} now={now} />
              </>
            )}
            {expiresAt === null ? null : (
              <>
                , deleted <Moment at={expiresAt} now={now} /> if not used
              </>
            )}
          </span>
          {pendingPayments === 0 ? null : (
            <span className="block text-ink">{inWords(pendingPayments, 'payment')} in progress</span>
          )}
        </p>
        <a
          className="button button-danger"
          href={`/sandbox?confirm=${encodeURIComponent(`user:${username}`)}#${CONFIRMATION}`}
          aria-label={`Reset ${displayName}`}
        >
          Reset
        </a>
      </div>
      {isConfirming ? (
        <ResetConfirmation title={`Reset ${displayName}?`} button={`Reset ${displayName}`} user={username} />
      ) : null}
    </li>
  )
}

interface ResetConfirmationProps {
  readonly title: string
  readonly button: string
  /** All users of the desk when absent. */
  readonly user?: string
}

function ResetConfirmation({ title, button, user }: ResetConfirmationProps) {
  return (
    <Confirmation title={title} text={CONSEQUENCES}>
      <UserForm action="/sandbox/reset">
        {user === undefined ? null : <input type="hidden" name="user" value={user} />}
        <button className="button button-danger">{button}</button>
      </UserForm>
      <Link prefetch={false} className="button" href="/sandbox">
        Cancel
      </Link>
    </Confirmation>
  )
}

function Shop({ url, gateway }: { readonly url: string | undefined; readonly gateway: string }) {
  if (url === undefined) return null
  return (
    <section aria-labelledby="shop" className="mt-12">
      <h2 id="shop">Shop</h2>
      <p className="mt-2 max-w-2xl text-muted">
        The sample shop receives payments in its own wallet. <code>npm run demo</code> connects it to Bob when it
        starts. A reset of Bob ends that connection. To connect the shop again, sign in as Bob at the gateway, create a
        connection that may receive payments, and paste its pairing URI into the shop.
      </p>
      <p className="actions mt-3">
        <a className="button" href={`${gateway}/connection/new`}>
          Create the connection
        </a>
        <a className="button" href={`${url.replace(/\/$/, '')}/merchant`}>
          Open the shop&rsquo;s wallet
        </a>
      </p>
    </section>
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
          <time className="figures text-muted max-md:col-span-full" dateTime={recordedAt.toISOString()}>
            {toTheSecond(recordedAt)}
          </time>
          {hasPages ? (
            <Link prefetch={false} className="row-link" href={`/developers/wire/${id}`}>
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
