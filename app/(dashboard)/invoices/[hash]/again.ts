import type { InvoiceCard } from '@/lib/invoices/queries'
import { formatAmount } from '@/lib/money/format'

/** The receive page with what this invoice said. Only a SAT wallet's amount is known as it was typed. */
export function againHref({ currencyCode, amountMsats, description }: InvoiceCard): string {
  const typed = new URLSearchParams({ currency: currencyCode })
  if (amountMsats !== null && currencyCode === 'SAT') typed.set('amount', formatAmount(amountMsats, 'SAT'))
  if (description !== null) typed.set('description', description)
  return `/wallets/receive?${typed}`
}
