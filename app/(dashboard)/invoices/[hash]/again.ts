import type { InvoiceCard } from '@/lib/invoices/queries'
import { formatAmount } from '@/lib/money/format'
import { msatsInLedgerUnits } from '@/lib/money/ledger-units'

/** The receive page with what this invoice said. */
export function againHref({ currencyCode, amountMsats, description }: InvoiceCard): string {
  const typed = new URLSearchParams({ currency: currencyCode })
  if (amountMsats !== null)
    typed.set('amount', formatAmount(msatsInLedgerUnits(amountMsats, currencyCode, 'down'), currencyCode))
  if (description !== null) typed.set('description', description)
  return `/wallets/receive?${typed}`
}
