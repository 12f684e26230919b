import { Amount } from '@/components/ui/amount'
import type { InvoiceCard } from '@/lib/invoices/queries'
import { msatsInLedgerUnits } from '@/lib/money/ledger-units'

/** What an invoice asks for: in the wallet's currency, as it was typed, with the satoshis that the invoice says. */
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
