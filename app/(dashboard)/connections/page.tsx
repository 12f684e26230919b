import type { Metadata } from 'next'
import Link from 'next/link'
import { LivePage } from '@/components/live-page'
import { MAX_ACTIVE, MAX_ENDED, hasOpenLogin, listConnections } from '@/lib/connections/queries'
import { application } from '@/lib/backend/application'
import { ConnectionEntry } from './connection-entry'
import { Confirmation } from './confirmation'
import { revokeTodayLink, requestedConfirmation } from '@/lib/ui/connection-links'
import { requireUser } from '../require-user'
import { UserForm } from '@/components/user-form'
import { readFormError, type ErrorTexts } from '@/lib/platform/http/form-errors'
import { one, type SearchParams } from '@/lib/ui/search-params'

export const metadata: Metadata = { title: 'Connections' }

const DONE = new Map(
  Object.entries({
    revoked: 'Revoked. The app loses access on its next call.',
    'revoked-today': 'All connections from the last 24 hours are revoked.',
    renamed: 'Connection renamed.',
  }),
)

const RENAME_ERRORS: ErrorTexts = {
  'name.invalid': 'Enter a name of 1 to 80 characters on one line. Nothing was changed.',
}

interface Props {
  readonly searchParams: SearchParams
}

export default async function ConnectionsPage({ searchParams }: Props) {
  const user = await requireUser()
  const current = application()
  const [connections, openLogin] = await Promise.all([
    listConnections(current, user.username),
    hasOpenLogin(current, user.username),
  ])
  const { active: open, moreActive, ended, moreEnded } = connections
  const params = await searchParams
  const done = DONE.get(String(params.done))
  const confirming = requestedConfirmation(params)
  const errors = { ...readFormError(RENAME_ERRORS, one(params.error)), typed: one(params.name) }
  const gateway = current.settings.gatewayRootUrl.href
  const now = current.clock.now()
  const hasWire = current.settings.sandboxTools
  return (
    <div className="py-8">
      <LivePage kinds={['connection']} />
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h1>Connections</h1>
        {open.length > 0 || openLogin ? (
          <a className="button button-danger" href={revokeTodayLink()}>
            Revoke all from the last 24 hours
          </a>
        ) : null}
      </div>
      {confirming?.action === 'revoke-today' ? (
        <Confirmation
          title="Revoke all connections from the last 24 hours?"
          text="These apps lose access on their next call, and sign-ins from the last 24 hours can create no new connections. You cannot undo this, but apps can ask again."
        >
          <UserForm action="/connections/revoke-today">
            <button className="button button-danger">Revoke all from the last 24 hours</button>
          </UserForm>
          <Link prefetch={false} className="button" href="/connections">
            Cancel
          </Link>
        </Confirmation>
      ) : null}
      <p className="mt-3 max-w-2xl text-muted">
        Each entry is access you gave to an app. Revoking takes effect on the app&rsquo;s next call. Budgets are managed
        at the <a href={gateway}>gateway</a>.
      </p>
      <output className="mt-3 block text-green empty:hidden">{done === undefined ? null : `✓ ${done}`}</output>

      {open.length === 0 ? (
        <div className="line mt-8 py-10">
          <p className="font-serif text-xl">No app is connected.</p>
          <p className="mt-2 text-muted">
            Start at the <a href={gateway}>gateway</a>. Apps you approve there appear here.
          </p>
        </div>
      ) : (
        <ul className="mt-6">
          {open.map((connection) => (
            <ConnectionEntry
              key={connection.id}
              connection={connection}
              now={now}
              hasWire={hasWire}
              confirming={confirming?.id === connection.id ? confirming.action : undefined}
              errors={errors}
            />
          ))}
        </ul>
      )}
      {moreActive ? (
        <p className="line py-5 text-muted">
          These are the newest {MAX_ACTIVE.toLocaleString('en-GB')}. Older ones are still active; they appear as you
          revoke these.
        </p>
      ) : null}
      <div className="double-rule" />

      {ended.length > 0 ? (
        <details className="mt-10">
          <summary className="tap">
            <h2 className="inline">Ended</h2>{' '}
            <span className="label">{moreEnded ? `the newest ${MAX_ENDED}` : ended.length}</span>
          </summary>
          <ul className="mt-3">
            {ended.map((connection) => (
              <ConnectionEntry key={connection.id} connection={connection} now={now} hasWire={hasWire} />
            ))}
          </ul>
        </details>
      ) : null}
    </div>
  )
}
