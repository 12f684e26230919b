import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { titleOf } from '@/app/(dashboard)/page-title'
import { requireUser } from '@/app/(dashboard)/require-user'
import { LivePage } from '@/components/live-page'
import { MemoHeading } from '@/components/memo-heading'
import { PayAsTestUser } from '@/components/sandbox-slots'
import { Records } from '@/components/tlv-records'
import { Alert } from '@/components/ui/alert'
import { Amount } from '@/components/ui/amount'
import { CopyField } from '@/components/ui/copy-field'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { findInvoice, type InvoiceCard } from '@/lib/invoices/queries'
import type { RateTable } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import { msatsInLedgerUnits } from '@/lib/money/ledger-units'
import { readFormError, type ErrorTexts } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { InvoiceStateMark } from '../invoice-state'
import { OpenInvoice } from '../open-invoice'
import { InvoiceDetails } from './invoice-details'

interface Props {
  readonly params: Promise<{ readonly hash: string }>
  readonly searchParams: SearchParams
}

const ERRORS: ErrorTexts = {
  'no-payer': 'No other test user holds enough money for this invoice. Nothing was paid.',
  refused: 'The payment was refused. Nothing was paid. Create a new invoice, or pay this one as another user.',
}

const readInvoice = cache(async (hash: string): Promise<InvoiceCard> => {
  const user = await requireUser()
  return (await findInvoice(application().db, user.username, hash.toLowerCase())) ?? notFound()
})

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { paymentHash, description, metadata } = await readInvoice((await params).hash)
  return titleOf(metadata === null ? 'Invoice' : 'Keysend', paymentHash, description)
}

export default async function InvoicePage({ params, searchParams }: Props) {
  const user = await requireUser()
  const invoice = await readInvoice((await params).hash)
  const current = application()
  const { state, metadata: keysend } = invoice
  const error = readFormError(ERRORS, singleParam((await searchParams).error)).form
  return (
    <div className="py-8">
      <LivePage kinds={['invoice']} />
      <Link className="tap" href={state === 'open' ? '/invoices' : `/invoices?tab=${state}`}>
        All invoices
      </Link>
      <MemoHeading
        memo={invoice.description}
        otherwise={keysend === null ? 'Invoice (no memo)' : 'Keysend (no message)'}
      />
      {/* One element for all states, so that a screen reader announces the change from waiting to paid. */}
      <div aria-live="polite" className="mt-3">
        <p className="text-lg" data-live={state}>
          <InvoiceStateMark state={state} />
          {invoice.credited === null ? null : (
            <>
              {': '}
              <Amount units={invoice.credited} code={invoice.currencyCode} signed /> in your wallet
            </>
          )}
        </p>
        {state === 'expired' ? <p className="mt-1 max-w-2xl">This invoice expired unpaid. Create a new one.</p> : null}
      </div>

      {error === undefined || state !== 'open' ? null : <Alert>{error}</Alert>}
      {state === 'open' && invoice.invoice !== null ? (
        <OpenInvoice
          path={`/invoices/${invoice.paymentHash}`}
          name="invoice"
          label="Invoice (BOLT 11)"
          encoded={invoice.invoice}
        >
          <InvoiceDetails invoice={invoice} now={current.clock.now()} />
          <PayAsTestUser username={user.username} paymentHash={invoice.paymentHash} amountMsats={invoice.amountMsats} />
        </OpenInvoice>
      ) : (
        <div className="mt-6 max-w-3xl">
          <InvoiceDetails invoice={invoice} now={current.clock.now()} />
          {keysend === null ? null : <Records records={keysend.tlv_records} />}
          <div className="double-rule" />
          {invoice.preimage === null ? null : (
            <div className="mt-6">
              <CopyField label="Preimage (proof of payment)" text={invoice.preimage} />
            </div>
          )}
          {keysend === null ? (
            <p className="mt-6">
              <Link
                className={state === 'expired' ? 'button button-main' : 'button'}
                href={againHref(invoice, current.rates.current().rateOf)}
              >
                Create another
              </Link>
            </p>
          ) : null}
        </div>
      )}
    </div>
  )
}

/** The receive page, filled in with the fields of this invoice. */
function againHref({ currencyCode, amountMsats, description }: InvoiceCard, rates: RateTable): string {
  const typed = new URLSearchParams({ tab: 'invoice', currency: currencyCode })
  if (amountMsats !== null)
    typed.set('amount', formatAmount(msatsInLedgerUnits(amountMsats, currencyCode, 'down', rates), currencyCode))
  if (description !== null) typed.set('description', description)
  return `/wallets/receive?${typed}`
}
