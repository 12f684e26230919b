import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { InvoiceStateMark } from '@/app/(dashboard)/invoices/invoice-state'
import { OpenInvoice } from '@/app/(dashboard)/invoices/open-invoice'
import { titleOf } from '@/app/(dashboard)/page-title'
import { requireUser } from '@/app/(dashboard)/require-user'
import { LivePage } from '@/components/live-page'
import { Amount } from '@/components/ui/amount'
import { DescriptionItem } from '@/components/ui/description-item'
import { Link } from '@/components/ui/link'
import { Expiry, Moment } from '@/components/ui/time'
import { application } from '@/lib/backend/application'
import { toLedgerUnits } from '@/lib/money/ledger-units'
import type { UmaInvoiceCard } from '@/lib/uma/invoices/open'

interface Props {
  readonly params: Promise<{ readonly uuid: string }>
}

const readInvoice = cache(async (uuid: string): Promise<UmaInvoiceCard> => {
  const { db, umaInvoices } = application()
  if (umaInvoices === undefined) notFound()
  const { username } = await requireUser()
  return (await umaInvoices.findUmaInvoice(db, username, uuid.toLowerCase())) ?? notFound()
})

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { uuid, sender } = await readInvoice((await params).uuid)
  return sender === null ? titleOf('UMA invoice', uuid) : titleOf('Request', uuid, `from ${sender}`)
}

export default async function UmaInvoicePage({ params }: Props) {
  const invoice = await readInvoice((await params).uuid)
  const current = application()
  const { uuid, encoded, sender, state } = invoice
  return (
    <div className="py-8">
      <LivePage kinds={['invoice']} />
      <Link className="tap" href={state === 'open' ? '/invoices' : `/invoices?tab=${state}`}>
        All invoices
      </Link>
      <h1 className="mt-2">{sender === null ? 'UMA invoice' : 'Request for payment'}</h1>
      {/* One element for all states, so that a screen reader announces the change from waiting to paid. */}
      <div aria-live="polite" className="mt-3">
        <p className="text-lg" data-live={state}>
          <InvoiceStateMark state={state} />
        </p>
        {state === 'expired' ? <p className="mt-1 max-w-2xl">This invoice expired unpaid. Create a new one.</p> : null}
      </div>
      {state === 'open' ? (
        <OpenInvoice path={`/invoices/uma/${uuid}`} name="UMA invoice" label="UMA invoice" encoded={encoded}>
          <Details invoice={invoice} now={current.clock.now()} />
          {sender === null ? null : (
            <p className="mt-4 max-w-xl">We sent it to their provider. They will see it under Requests.</p>
          )}
        </OpenInvoice>
      ) : (
        <div className="mt-6 max-w-3xl">
          <Details invoice={invoice} now={current.clock.now()} />
          <p className="mt-6">
            <Link className={state === 'expired' ? 'button button-main' : 'button'} href="/wallets/receive?tab=uma">
              Create another
            </Link>
          </p>
        </div>
      )}
    </div>
  )
}

function Details({ invoice, now }: { readonly invoice: UmaInvoiceCard; readonly now: Date }) {
  const { amount, code, sender, payer, paidAt, expiresAt, state } = invoice
  return (
    <dl>
      <DescriptionItem term={state === 'paid' ? 'You received' : 'You will receive'}>
        <Amount units={toLedgerUnits(amount, code)} code={code} />
      </DescriptionItem>
      <DescriptionItem term="From">{payer ?? sender ?? 'anyone with the invoice'}</DescriptionItem>
      {paidAt === null || state === 'open' ? (
        <DescriptionItem term="Valid until">
          <Expiry at={expiresAt} now={now} />
        </DescriptionItem>
      ) : (
        <DescriptionItem term="Paid">
          <Moment at={paidAt} now={now} />
        </DescriptionItem>
      )}
    </dl>
  )
}
