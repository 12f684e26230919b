import type { Metadata } from 'next'
import { DescriptionItem } from '@/components/ui/description-item'
import { Link } from '@/components/ui/link'
import { Moment } from '@/components/ui/time'
import { application } from '@/lib/backend/application'
import { LIMITS_OF_A_USER } from '@/lib/platform/http/rate-limits'
import { buildText } from '@/lib/web/build-text'
import { readStatus, type Status } from '@/lib/web/status'
import { requireUser } from '../require-user'

export const metadata: Metadata = { title: 'Status' }

const BOOKS: Readonly<Record<Status['books'], string>> = {
  ok: 'They balance.',
  failed:
    'They do not balance. Payments are stopped until the operator has reviewed them. Signing in and reading work.',
  missing: 'They have not been checked in the last five minutes.',
}
const NODE: Readonly<Record<Status['node'], string>> = {
  ready: 'It works.',
  starting: 'It is starting. Payments to other VASPs wait.',
  away: 'It does not answer. Payments to other VASPs wait; payments inside this VASP continue.',
}

export default async function StatusPage() {
  const { username } = await requireUser()
  const app = application()
  const { settings } = app
  const status = await readStatus(app, username)
  const now = app.clock.now()
  const { perSecond, burst, atOnce } = LIMITS_OF_A_USER
  return (
    <div className="py-8">
      <h1>Status</h1>
      <section className="mt-8 max-w-2xl" aria-labelledby="server">
        <h2 id="server">{settings.vaspName}</h2>
        <dl className="mt-3">
          <DescriptionItem term="Books">
            {BOOKS[status.books]}{' '}
            {status.auditedAt === undefined ? null : (
              <>
                Checked <Moment at={status.auditedAt} now={now} />.
              </>
            )}
          </DescriptionItem>
          <DescriptionItem term="Lightning node">{NODE[status.node]}</DescriptionItem>
          <DescriptionItem term="Gateway">
            <code>{settings.gatewayRootUrl.host}</code>.{' '}
            {status.lastCallAt === null ? (
              'No app of yours has called yet.'
            ) : (
              <>
                Your apps last called <Moment at={status.lastCallAt} now={now} />.
              </>
            )}
          </DescriptionItem>
          <DescriptionItem term="Build">{buildText()}</DescriptionItem>
        </dl>
      </section>
      <section className="mt-10 max-w-2xl" aria-labelledby="limits">
        <h2 id="limits">Your limits</h2>
        <dl className="mt-3">
          <DescriptionItem term="Connections">
            {figure(status.connections)} of {figure(settings.maxActiveConnectionsPerUser)} are active.{' '}
            <Link className="tap" href="/connections">
              Connections
            </Link>
          </DescriptionItem>
          <DescriptionItem term="Payments">
            {figure(status.openPayments)} of {figure(settings.maxOpenPaymentsPerUser)} payments to other VASPs are in
            progress.
          </DescriptionItem>
          <DescriptionItem term="Calls">
            {settings.rateLimits
              ? `${perSecond} a second for each connection, ${burst} at first, and ${atOnce} of yours at once. The next ones wait.`
              : 'Not limited on this server.'}
          </DescriptionItem>
          <DescriptionItem term="Exports">One at a time.</DescriptionItem>
        </dl>
      </section>
    </div>
  )
}

const figure = (count: number): string => count.toLocaleString('en-GB')
