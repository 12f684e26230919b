import { Amount } from '@/components/ui/amount'
import { application } from '@/lib/backend/application'
import type { InvoiceCard } from '@/lib/invoices/queries'
import { msatsInLedgerUnits } from '@/lib/money/ledger-units'

/** The amount of an invoice: in the wallet's currency at the current rate, with the invoice's satoshis. */
export function AskedAmount({ invoice }: { readonly invoice: InvoiceCard }) {
  const { amountMsats, currencyCode, settledAt } = invoice
  if (amountMsats === null) return null
  const satoshis = <Amount units={amountMsats} code="SAT" />
  if (currencyCode === 'SAT' || settledAt !== null) return satoshis
  const units = msatsInLedgerUnits(amountMsats, currencyCode, 'down', application().rates.current().rateOf)
  return (
    <>
      <Amount units={units} code={currencyCode} /> ({satoshis})
    </>
  )
}
