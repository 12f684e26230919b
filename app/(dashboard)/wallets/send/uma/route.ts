import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/page-answers'
import { personForm } from '@/lib/platform/http/page-route'
import { readWallets } from '@/lib/ledger/accounts'
import { priceProblem } from '@/lib/quotes/errors'
import { previewUmaInvoice, quoteUmaInvoice } from '@/lib/quotes/uma-invoice'

/** Asks what a UMA invoice costs and shows it. Nothing is reserved. */
export const POST = personForm(async ({ deps, username, form }) => {
  const invoice = (form.get('invoice') ?? '').trim().slice(0, 4_000)
  const code = (form.get('wallet') ?? '').slice(0, 40)
  const back = (error: string): Response =>
    seeOther(`/wallets/send?${new URLSearchParams({ invoice, wallet: code, error })}`)
  const wallet = (await readWallets(deps.db, username)).find((each) => each.code === code)
  if (wallet === undefined) return back('wallet')
  const look = await previewUmaInvoice(deps, username, invoice)
  // The page reads it too and says what is wrong.
  if (look.kind === 'problem') return back('receiver')
  try {
    const { paymentHash } = await quoteUmaInvoice(deps, { username, wallet, payable: look.payable })
    return seeOther(`/wallets/quotes/${paymentHash}`)
  } catch (error) {
    if (isVaspError(error) && error.status < 500) return back(priceProblem(error, 'uma'))
    throw error
  }
})
