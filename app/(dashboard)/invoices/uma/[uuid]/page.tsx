import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { Amount } from '@/components/ui/amount'
import { CopyField } from '@/components/ui/copy-field'
import { QrBlock } from '@/components/ui/qr-block'
import { Expiry, Moment } from '@/components/ui/time'
import { application } from '@/lib/backend/application'
import { findUmaInvoice, type UmaInvoiceCard } from '@/lib/invoices/uma-invoices'
import { toLedgerUnits } from '@/lib/money/ledger-units'
import { DescriptionItem } from '@/components/ui/description-item'
import { InvoiceStateMark } from '@/app/(dashboard)/invoices/invoice-state'
import { requireUser } from '@/app/(dashboard)/require-user'
import { StateWatch } from '@/components/state-watch'

export const metadata: Metadata = { title: 'UMA invoice' }

interface Props {
  readonly params: Promise<{ readonly uuid: string }>
}

export default async function UmaInvoicePage({ params }: Props) {
  const { username } = await requireUser()
  const current = application()
  const invoice = await findUmaInvoice(current.db, username, (await params).uuid.toLowerCase())
  if (invoice === null) notFound()
  const { uuid, encoded, sender, state } = invoice
  return (
    <div className="py-8">
      <Link prefetch={false} className="tap" href={state === 'open' ? '/invoices' : `/invoices?tab=${state}`}>
        All invoices
      </Link>
      <h1 className="mt-2">{sender === null ? 'UMA invoice' : 'Request for payment'}</h1>
      {/* One element for all states, so that its change from waiting to paid is read out. */}
      <div aria-live="polite" className="mt-3">
        <p className="text-lg">
          <InvoiceStateMark state={state} />
        </p>
        {state === 'expired' ? (
          <p className="mt-1 max-w-2xl">Nobody paid it in time, and nobody can any more; nothing was moved.</p>
        ) : null}
      </div>
      {state === 'open' ? (
        <>
          <StateWatch url={`/invoices/uma/${uuid}/state`} state={state} />
          <noscript>
            <a className="tap" href={`/invoices/uma/${uuid}`}>
              Look again
            </a>
          </noscript>
          <div className="mt-6 grid gap-x-14 gap-y-8 lg:grid-cols-[20rem_1fr]">
            <div className="max-w-80 max-lg:mx-auto max-lg:w-full">
              <QrBlock
                text={encoded.toUpperCase()}
                label="The UMA invoice as a QR code; its text stands on this page too"
              />
            </div>
            <div className="min-w-0">
              <Details invoice={invoice} now={current.clock.now()} />
              {sender === null ? null : (
                <p className="mt-4 max-w-xl">Their VASP was asked to show it among their requests.</p>
              )}
              <div className="mt-6">
                <CopyField label="UMA invoice" text={encoded} />
              </div>
            </div>
          </div>
        </>
      ) : (
        <div className="mt-6 max-w-3xl">
          <Details invoice={invoice} now={current.clock.now()} />
          <p className="mt-6">
            <Link
              prefetch={false}
              className={state === 'expired' ? 'button button-main' : 'button'}
              href="/wallets/receive#uma"
            >
              Make a new one
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
      <DescriptionItem term={state === 'paid' ? 'You got' : 'You get'}>
        <Amount units={toLedgerUnits(amount, code)} code={code} />
      </DescriptionItem>
      <DescriptionItem term="From">{payer ?? sender ?? 'anybody who has it'}</DescriptionItem>
      {paidAt === null || state === 'open' ? (
        <DescriptionItem term="Can be paid until">
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
