import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { LivePage } from '@/components/live-page'
import { Success } from '@/components/ui/alert'
import { Identicon } from '@/components/ui/identicon'
import { Moment } from '@/components/ui/time'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import { formatUnits } from '@/lib/money/format'
import type { UmaRequestCard } from '@/lib/uma/invoices/open'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { requireUser } from '../require-user'

export const metadata: Metadata = { title: 'Requests' }

interface Props {
  readonly searchParams: SearchParams
}

export default async function RequestsPage({ searchParams }: Props) {
  const current = application()
  const { umaInvoices } = current
  if (umaInvoices === undefined) notFound()
  const { username } = await requireUser()
  const [requests, typed] = await Promise.all([umaInvoices.listRequests(current.db, username), searchParams])
  const now = current.clock.now()
  return (
    <div className="max-w-3xl py-8">
      <LivePage kinds={['payment_request', 'payment']} />
      <h1>Requests</h1>
      <p className="mt-3 max-w-2xl text-muted">
        Users who have asked you to pay them. You see the price before you pay.
      </p>
      {singleParam(typed.done) === 'declined' ? (
        <Success>Declined. Nothing was paid, and they were not notified.</Success>
      ) : null}
      {requests.length === 0 ? (
        <p className="line mt-8 py-10 font-serif text-xl">No requests yet.</p>
      ) : (
        <ul className="mt-6">
          {requests.map((request) => (
            <Request key={String(request.id)} request={request} now={now} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Request({ request, now }: { readonly request: UmaRequestCard; readonly now: Date }) {
  const { id, receiverAddress, amount, currency, state, encoded, createdAt, paymentHash } = request
  return (
    <li className="line py-4" data-live={`${id} ${state}`}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Identicon text={receiverAddress} size={36} />
        <p className="min-w-0">
          <span className="block break-words">{receiverAddress}</span>
          <span className="label">
            <Moment at={createdAt} now={now} />
          </span>
        </p>
        <p className="figures ml-auto font-serif text-xl whitespace-nowrap">
          {formatUnits(amount, currency.decimals)} {currency.code}
        </p>
      </div>
      {state === 'open' ? (
        <div className="mt-3 flex flex-wrap items-center gap-3">
          <a className="button button-main" href={`/wallets/send?${new URLSearchParams({ invoice: encoded })}`}>
            Get a quote
          </a>
          <UserForm action="/requests/decline">
            <input type="hidden" name="id" value={String(id)} />
            <button className="button" aria-label={`Decline ${receiverAddress}`}>
              Decline
            </button>
          </UserForm>
        </div>
      ) : (
        <p className="mt-2">
          {STATES[state]}
          {paymentHash === null ? null : (
            <>
              {' '}
              <a className="row-link" href={`/wallets/sent/${paymentHash}`}>
                View payment
              </a>
            </>
          )}
        </p>
      )}
    </li>
  )
}

const STATES = { paid: '✓ Accepted.', declined: '× Declined.', expired: 'Expired.' } as const
