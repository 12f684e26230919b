import type { Metadata } from 'next'
import { LivePage } from '@/components/live-page'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { hasOpenLogin, listConnections, readConnectionId, type ConnectionTab } from '@/lib/connections/queries'
import { countUnused } from '@/lib/connections/service'
import { revokeTodayLink, revokeUnusedLink, UNUSED_HOURS } from '@/lib/web/connection-links'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { requireUser } from '../require-user'
import { ConnectionEntry } from './connection-entry'
import { RevokeTodayConfirmation, RevokeUnusedConfirmation } from './group-confirmations'

export const metadata: Metadata = { title: 'Connections' }

const DONE = new Map(
  Object.entries({
    revoked: 'Revoked. The app loses access on its next call.',
    'revoked-today': 'All connections from the last 24 hours are revoked.',
    'revoked-unused': 'The unused connections are revoked. Their apps lose access on their next call.',
    renamed: 'Connection renamed.',
  }),
)

const TABS = { active: 'Active', ended: 'Ended' } as const satisfies Record<ConnectionTab, string>

interface Props {
  readonly searchParams: SearchParams
}

export default async function ConnectionsPage({ searchParams }: Props) {
  const user = await requireUser()
  const current = application()
  const params = await searchParams
  const tab = singleParam(params.tab) === 'ended' ? 'ended' : 'active'
  const before = readConnectionId(singleParam(params.before))
  const unusedHours = UNUSED_HOURS.find((hours) => hours === singleParam(params['revoke-unused']))
  const [{ connections, olderThan }, unused] = await Promise.all([
    listConnections(current, user.username, { tab, before }),
    unusedHours === undefined ? undefined : countUnused(current.db, user.username, Number(unusedHours)),
  ])
  const done = DONE.get(String(params.done))
  const gateway = current.settings.gatewayRootUrl.href
  const now = current.clock.now()
  const hasAny = connections.length > 0 || before !== undefined
  const canRevokeToday = tab === 'active' && (hasAny || (await hasOpenLogin(current, user.username)))
  return (
    <div className="py-8">
      <LivePage kinds={['connection']} />
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h1>Connections</h1>
        {canRevokeToday ? (
          <div className="flex flex-wrap gap-3">
            {hasAny ? (
              <a className="button button-danger" href={revokeUnusedLink('168')}>
                Revoke unused
              </a>
            ) : null}
            <a className="button button-danger" href={revokeTodayLink()}>
              Revoke all from the last 24 hours
            </a>
          </div>
        ) : null}
      </div>
      {params['revoke-today'] === undefined ? null : <RevokeTodayConfirmation />}
      {unusedHours === undefined || unused === undefined ? null : (
        <RevokeUnusedConfirmation hours={unusedHours} count={unused} />
      )}
      <p className="mt-3 max-w-2xl text-muted">
        Each entry is access you gave to an app. Revoking takes effect on the app&rsquo;s next call. Budgets are managed
        at the <a href={gateway}>gateway</a>. You can have up to{' '}
        {current.settings.maxActiveConnectionsPerUser.toLocaleString('en-GB')} active connections.
      </p>
      <output className="mt-3 block text-green empty:hidden">{done === undefined ? null : `✓ ${done}`}</output>
      <nav aria-label="Connections by state" className="mt-5 flex gap-x-6">
        {(['active', 'ended'] as const).map((each) => (
          <Link key={each} className="tap" href={addressOf(each)} aria-current={each === tab ? 'page' : undefined}>
            {TABS[each]}
          </Link>
        ))}
      </nav>

      {connections.length === 0 ? (
        <Empty tab={tab} isFirstPage={before === undefined} gateway={gateway} />
      ) : (
        <ul className="mt-3">
          {connections.map((connection) => (
            <ConnectionEntry
              key={connection.id}
              connection={connection}
              now={now}
              appName={current.appNames.nameOf(connection.clientId)}
              hasWire={current.settings.sandboxTools}
            />
          ))}
        </ul>
      )}
      <p className="double-rule actions pt-4">
        {before === undefined ? null : (
          <Link className="tap" href={addressOf(tab)}>
            Newest
          </Link>
        )}
        {olderThan === null ? null : (
          <Link className="tap" href={addressOf(tab, olderThan)}>
            Older
          </Link>
        )}
      </p>
    </div>
  )
}

function Empty({
  tab,
  isFirstPage,
  gateway,
}: {
  readonly tab: ConnectionTab
  readonly isFirstPage: boolean
  readonly gateway: string
}) {
  if (!isFirstPage) return <p className="line mt-3 py-8 text-muted">No older connections.</p>
  if (tab === 'ended') return <p className="line mt-3 py-8 font-serif text-lg">No connection has ended.</p>
  return (
    <div className="line mt-3 py-10">
      <p className="font-serif text-xl">No app is connected.</p>
      <p className="mt-2 text-muted">
        Start at the <a href={gateway}>gateway</a>. Apps you approve there appear here.
      </p>
    </div>
  )
}

function addressOf(tab: ConnectionTab, before?: string): string {
  const params = new URLSearchParams({
    ...(tab === 'active' ? {} : { tab }),
    ...(before === undefined ? {} : { before }),
  })
  return params.size === 0 ? '/connections' : `/connections?${params}`
}
