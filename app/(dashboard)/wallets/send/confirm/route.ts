import { isVaspError, type VaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/page-answers'
import { personForm } from '@/lib/platform/http/page-route'
import { readWallets } from '@/lib/ledger/accounts'
import { decodeInvoice } from '@/lib/lightning/bolt11'
import { parseAmount } from '@/lib/money/format'
import { isPending } from '@/lib/payments/service'
import { payInvoice } from '@/lib/payments/pay-invoice'

const PATIENCE_MS = 3_000

export const POST = personForm(async ({ deps, username, form }) => {
  const invoice = (form.get('invoice') ?? '').trim().slice(0, 4_000)
  const typed = (form.get('amount') ?? '').trim()
  const back = (problem: string): Response =>
    seeOther(`/wallets/send?${new URLSearchParams({ invoice, amount: typed.slice(0, 40), error: problem }).toString()}`)
  const decoding = decodeInvoice(invoice, deps.node.identity.network)
  // The page reads the invoice itself and says what is wrong with it.
  if (!decoding.ok) return back('unknown')
  const amountMsats = typed === '' ? undefined : parseAmount(typed, 'SAT')
  if (typed !== '' && amountMsats === undefined) return back('amount')
  try {
    // The wallet and the price that the person saw, and no other.
    const wallets = (await readWallets(deps.db, username)).filter(({ code }) => code === form.get('wallet'))
    const maxDebit = readUnits(form.get('debit'))
    if (maxDebit === undefined) return back('failed')
    const result = await payInvoice(deps, { username, connectionId: null, wallets, invoice, amountMsats, maxDebit })
    // Most end at once, and the next page need not begin with a wait.
    if (isPending(result)) await deps.paymentWorker.waitForEnd(result.paymentId, PATIENCE_MS)
  } catch (error) {
    if (isVaspError(error) && [400, 429].includes(error.status)) return back(problemOf(error))
    throw error
  }
  return seeOther(`/wallets/sent/${decoding.invoice.paymentHash}`)
})

/** Anything else is said by the page's own reading of the invoice: expired, paid by somebody else. */
function problemOf(error: VaspError): string {
  if (error.code === 'INSUFFICIENT_BALANCE') return 'insufficient'
  if (error.code === 'RATE_LIMITED') return 'many'
  if (error.code === 'QUOTA_EXCEEDED') return 'changed'
  return error.code === 'PAYMENT_FAILED' ? 'unknown' : 'failed'
}

function readUnits(text: string | null): bigint | undefined {
  return text !== null && /^\d{1,18}$/.test(text) ? BigInt(text) : undefined
}
