import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { hasSandboxTools } from '@/app/has-sandbox-tools'
import { LivePage } from '@/components/live-page'
import { ConnectionCalls, ConnectionFaults, FaultsDone } from '@/components/sandbox-slots'
import { Identicon } from '@/components/ui/identicon'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { atGateway } from '@/lib/connections/client-id'
import { findConnectionCard, readConnectionId } from '@/lib/connections/queries'
import { listPaymentsOfConnection, readSpending } from '@/lib/payments/queries'
import { readFormError, type ErrorTexts } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { startOfMonth } from '@/lib/web/time'
import { requireUser } from '../../require-user'
import { ConnectionActions, ConnectionFacts, ConnectionState } from '../connection-entry'
import { ConnectionPayments } from './payments'
import { RenameForm, RevokeConfirmation } from './questions'
import { SpendingOfMonth } from './spending'

const PAYMENTS_SHOWN = 10

const RENAME_ERRORS: ErrorTexts = {
  'name.invalid': 'Enter a name of 1 to 80 characters on one line. Nothing was changed.',
}

interface Props {
  readonly params: Promise<{ readonly id: string }>
  readonly searchParams: SearchParams
}

const readConnection = cache(async (id: string) => {
  const user = await requireUser()
  const known = readConnectionId(id)
  const connection = known === undefined ? undefined : await findConnectionCard(application(), user.username, known)
  return connection ?? notFound()
})

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await readConnection((await params).id)).name }
}

export default async function ConnectionPage({ params, searchParams }: Props) {
  const user = await requireUser()
  const current = application()
  const { id } = await params
  const connection = await readConnection(id)
  const query = await searchParams
  const now = current.clock.now()
  const hasTools = await hasSandboxTools(current)
  const since = startOfMonth(now)
  const [payments, spending] = await Promise.all([
    listPaymentsOfConnection(current.db, user.username, connection.id, PAYMENTS_SHOWN),
    readSpending(current.db, user.username, connection.id, since),
  ])
  const isActive = connection.state === 'active'
  const asks = isActive ? (['revoke', 'rename'] as const).find((action) => query[action] !== undefined) : undefined
  return (
    <div className="max-w-3xl py-8">
      {hasTools ? <LivePage kinds={['connection', 'api_call', 'payment']} /> : null}
      <Link className="tap" href="/connections">
        Connections
      </Link>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <Identicon text={connection.id} />
        <div className="min-w-0 flex-1 basis-56">
          <h1 className="break-words">{connection.name}</h1>
          <ConnectionState connection={connection} now={now} />
        </div>
        {isActive && asks === undefined ? <ConnectionActions connection={connection} /> : null}
      </div>
      <FaultsDone done={singleParam(query.done)} />
      {asks === 'revoke' ? <RevokeConfirmation connection={connection} /> : null}
      {asks === 'rename' ? (
        <RenameForm
          connection={connection}
          errors={{ ...readFormError(RENAME_ERRORS, singleParam(query.error)), typed: singleParam(query.name) }}
        />
      ) : null}
      <ConnectionFacts
        connection={connection}
        now={now}
        appName={current.appNames.nameOf(connection.clientId)}
        detailed
      />
      <p className="mt-4">
        Its budget is at the <a href={atGateway(current.settings.gatewayRootUrl, connection.clientId)}>gateway</a>.
      </p>
      <SpendingOfMonth spending={spending} since={since} />
      <ConnectionPayments payments={payments} now={now} />
      {hasTools ? <ConnectionCalls username={user.username} connectionId={connection.id} /> : null}
      {hasTools && isActive && asks === undefined ? (
        <ConnectionFaults
          username={user.username}
          connectionId={connection.id}
          connectionName={connection.name}
          query={query}
        />
      ) : null}
    </div>
  )
}
