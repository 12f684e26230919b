import type { Metadata } from 'next'
import { LivePage } from '@/components/live-page'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { listInvoices, type InvoiceState } from '@/lib/invoices/queries'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { requireUser } from '../require-user'
import { InvoiceRow, UmaInvoiceRow } from './invoice-row'

export const metadata: Metadata = { title: 'Invoices' }

const TABS = {
  open: { label: 'Open', none: 'No open invoices.' },
  paid: { label: 'Paid', none: 'No paid invoices yet.' },
  expired: { label: 'Expired', none: 'No expired invoices.' },
} as const satisfies Record<InvoiceState, object>
const STATES = ['open', 'paid', 'expired'] as const satisfies readonly InvoiceState[]

interface Props {
  readonly searchParams: SearchParams
}

export default async function InvoicesPage({ searchParams }: Props) {
  const user = await requireUser()
  const requested = singleParam((await searchParams).tab)
  const tab = STATES.find((state) => state === requested) ?? 'open'
  const current = application()
  const [invoices, umaInvoices] = await Promise.all([
    listInvoices(current.db, user.username, tab),
    current.umaInvoices?.listUmaInvoices(current.db, user.username, tab) ?? [],
  ])
  const now = current.clock.now()
  return (
    <div className="py-8">
      <LivePage kinds={['invoice', 'payment']} />
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h1>Invoices</h1>
        <Link className="button button-main" href="/wallets/receive?tab=invoice">
          Create invoice
        </Link>
      </div>
      <nav aria-label="Invoices by state" className="mt-5 flex gap-x-6">
        {STATES.map((state) => (
          <Link
            key={state}
            className="tap"
            href={state === 'open' ? '/invoices' : `/invoices?tab=${state}`}
            aria-current={state === tab ? 'page' : undefined}
          >
            {TABS[state].label}
          </Link>
        ))}
      </nav>
      {invoices.length + umaInvoices.length === 0 ? (
        <p className="line mt-3 py-8 font-serif text-lg">{TABS[tab].none}</p>
      ) : null}
      {invoices.length === 0 ? null : (
        <ul className="mt-3">
          {invoices.map((invoice) => (
            <InvoiceRow key={invoice.paymentHash} invoice={invoice} now={now} />
          ))}
        </ul>
      )}
      {umaInvoices.length === 0 ? null : (
        <section aria-labelledby="uma" className="mt-8">
          <h2 id="uma">UMA invoices</h2>
          <ul className="mt-3">
            {umaInvoices.map((invoice) => (
              <UmaInvoiceRow key={invoice.uuid} invoice={invoice} now={now} />
            ))}
          </ul>
        </section>
      )}
      <div className="double-rule" />
    </div>
  )
}
