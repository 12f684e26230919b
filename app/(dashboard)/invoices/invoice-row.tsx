import { Amount } from '@/components/ui/amount'
import { Link } from '@/components/ui/link'
import { Moment } from '@/components/ui/time'
import type { InvoiceCard } from '@/lib/invoices/queries'
import { toLedgerUnits } from '@/lib/money/ledger-units'
import { visibleText } from '@/lib/platform/visible-text'
import type { UmaInvoiceCard } from '@/lib/uma/invoices/open'
import { AskedAmount } from './asked-amount'

const ROW = 'line grid grid-cols-[1fr_auto] items-baseline gap-x-4 py-2 md:grid-cols-[1fr_14rem_12rem]'
const WHEN = 'label max-md:col-span-full max-md:row-start-2'
const HOW_MUCH = 'text-right max-md:col-start-2 max-md:row-start-1'

/** One invoice of the list: description, time and amount. */
export function InvoiceRow({ invoice, now }: { readonly invoice: InvoiceCard; readonly now: Date }) {
  return (
    <li className={ROW} data-live={`${invoice.paymentHash} ${invoice.state}`}>
      <Link className="row-link min-w-0 break-words" href={`/invoices/${invoice.paymentHash}`}>
        <WhatFor invoice={invoice} />
      </Link>
      <p className={WHEN}>
        <When invoice={invoice} now={now} />
      </p>
      <p className={HOW_MUCH}>
        <AskedOrGot invoice={invoice} />
      </p>
    </li>
  )
}

function WhatFor({ invoice: { invoice, description, payerAddress, paymentHash } }: { readonly invoice: InvoiceCard }) {
  const memo = visibleText(description)
  if (payerAddress !== null)
    return (
      <>
        From {payerAddress}
        {memo === undefined ? null : <span className="label line-clamp-2">{memo}</span>}
      </>
    )
  if (memo !== undefined) return <span className="line-clamp-2">{memo}</span>
  return (
    <>
      {invoice === null ? 'Keysend' : 'No memo'}, <code>{paymentHash.slice(0, 8)}</code>
    </>
  )
}

/** One UMA invoice of the list: payer, time and amount. */
export function UmaInvoiceRow({ invoice, now }: { readonly invoice: UmaInvoiceCard; readonly now: Date }) {
  const { uuid, sender, payer, state, paidAt, expiresAt, amount, code } = invoice
  const from = payer ?? sender
  return (
    <li className={ROW} data-live={`${uuid} ${state}`}>
      <Link className="row-link min-w-0 break-words" href={`/invoices/uma/${uuid}`}>
        {from === null ? (
          <>
            For anyone, <code>{uuid.slice(0, 8)}</code>
          </>
        ) : (
          `From ${from}`
        )}
      </Link>
      <p className={WHEN}>
        {state === 'paid' ? 'paid' : state === 'expired' ? 'expired' : 'expires'}{' '}
        <Moment at={(state === 'paid' ? paidAt : null) ?? expiresAt} now={now} />
      </p>
      <p className={HOW_MUCH}>
        <Amount units={toLedgerUnits(amount, code)} code={code} signed={state === 'paid'} />
      </p>
    </li>
  )
}

function When({ invoice, now }: { readonly invoice: InvoiceCard; readonly now: Date }) {
  if (invoice.settledAt !== null)
    return (
      <>
        {invoice.invoice === null ? 'received' : 'paid'} <Moment at={invoice.settledAt} now={now} />
      </>
    )
  if (invoice.expiresAt === null) return null
  return (
    <>
      {invoice.state === 'expired' ? 'expired' : 'expires'} <Moment at={invoice.expiresAt} now={now} />
    </>
  )
}

function AskedOrGot({ invoice }: { readonly invoice: InvoiceCard }) {
  if (invoice.credited !== null) return <Amount units={invoice.credited} code={invoice.currencyCode} signed />
  if (invoice.amountMsats === null) return <>any amount</>
  return <AskedAmount invoice={invoice} />
}
