import { isVaspError } from '@/lib/platform/errors'
import { plainText, seeOther } from '@/lib/platform/http/page-answers'
import { personForm } from '@/lib/platform/http/page-route'
import { LONGEST_EXPIRY_SECONDS, isDescription } from 'uma-auth-vasp'
import { createInvoice } from '@/lib/invoices/service'
import { isCurrencyCode } from '@/lib/money/currencies'
import { parseAmount } from '@/lib/money/format'
import { worthInMsats } from '@/lib/money/ledger-units'
import { requireWallet } from '@/lib/wallets/service'

export const POST = personForm(async ({ deps, username, form }) => {
  const code = form.get('currency') ?? ''
  if (!isCurrencyCode(code)) return plainText(400, 'There is no such currency.')
  const typed = (form.get('amount') ?? '').trim()
  const description = (form.get('description') ?? '').trim()
  const back = (problem: string): Response => {
    const values = {
      error: problem,
      currency: code,
      amount: typed.slice(0, 40),
      description: description.slice(0, 640),
    }
    // Down to the field that it is about.
    return seeOther(`/wallets/receive?${new URLSearchParams(values).toString()}#${problem}`)
  }
  const amount = typed === '' ? undefined : parseAmount(typed, code)
  if (typed !== '' && amount === undefined) return back('amount')
  if (!isDescription(description)) return back('description')
  try {
    const wallet = await requireWallet(deps.db, username, code)
    const { paymentHash } = await createInvoice(deps, {
      username,
      wallet,
      // Rounded up: the wallet then gets the amount that was typed.
      amountMsats: amount === undefined ? undefined : worthInMsats(amount, code, 'up'),
      description,
      expirySeconds: expiryOf(form.get('expiry')),
    })
    return seeOther(`/invoices/${paymentHash}`)
  } catch (error) {
    if (isVaspError(error) && error.status === 400) return back('amount')
    throw error
  }
})

function expiryOf(text: string | null): number | undefined {
  if (text === null || !/^[1-9]\d{0,8}$/.test(text)) return undefined
  return Math.min(Number(text), LONGEST_EXPIRY_SECONDS)
}
