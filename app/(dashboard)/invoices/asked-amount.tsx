import { Amount } from '@/components/ui/amount'
import type { InvoiceCard } from '@/lib/invoices/queries'
import { msatsInLedgerUnits } from '@/lib/money/ledger-units'

/** The amount of an invoice: in the wallet's currency, as typed, with the invoice's satoshis. */
export function AskedAmount({ invoice }: { readonly invoice: InvoiceCard }) {
  const { amountMsats, currencyCode, settledAt } = invoice
  if (amountMsats === null) return null
  const satoshis = <Amount units={amountMsats} code="SAT" />
  if (currencyCode === 'SAT' || settledAt !== null) return satoshis
  return (
    <>
      <Amount units={msatsInLedgerUnits(amountMsats, currencyCode, 'down')} code={currencyCode} /> ({satoshis})
    </>
  )
}
