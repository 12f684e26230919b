import type { Metadata } from 'next'
import { isOnChainOnly, payableIn } from '@/lib/payments/pasted'
import { looksLikeAddress } from '@/lib/quotes/resolve-receiver'
import { isMeantAsUmaInvoice } from '@/lib/quotes/uma-invoice'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { requireUser } from '../../require-user'
import { ToAddress } from './to-address'
import { ToInvoice } from './to-invoice'
import { ToUmaInvoice } from './to-uma-invoice'

export const metadata: Metadata = { title: 'Send' }

interface Props {
  readonly searchParams: SearchParams
}

/** The pasted text decides which of three ways to pay the page shows. */
export default async function SendPage({ searchParams }: Props) {
  const { username } = await requireUser()
  const typed = await searchParams
  const pasted = payableIn(singleParam(typed.invoice) ?? '')
  const Recipient = isMeantAsUmaInvoice(pasted)
    ? ToUmaInvoice
    : looksLikeAddress(pasted) && !isOnChainOnly(pasted)
      ? ToAddress
      : ToInvoice
  return (
    <div className="py-8">
      <h1>Send</h1>
      <Recipient username={username} pasted={pasted} typed={typed} />
    </div>
  )
}
