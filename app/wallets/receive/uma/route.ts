import { isVaspError } from '@/lib/errors'
import { seeOther } from '@/lib/http/page-answers'
import { personForm } from '@/lib/http/page-route'
import { currencyOf, isCurrencyCode } from '@/lib/money/currencies'
import { parseUnits } from '@/lib/money/format'
import { createUmaInvoice } from '@/lib/uma/uma-invoices/create'
import { sendUmaRequest } from '@/lib/uma/uma-invoices/send-request'

const DAY_SECONDS = 86_400

/** Makes a UMA invoice; where an address is named, it is for that one alone and is brought there as a request. */
export const POST = personForm(async ({ deps, username, form }) => {
  const field = (name: string, longest: number): string => (form.get(name) ?? '').trim().slice(0, longest)
  const typed = {
    'uma-currency': field('uma-currency', 40),
    'uma-amount': field('uma-amount', 40),
    payer: field('payer', 400),
  }
  const back = (error: string): Response => seeOther(`/wallets/receive?${new URLSearchParams({ ...typed, error })}#uma`)
  const code = typed['uma-currency']
  if (!isCurrencyCode(code)) return back('uma-currency')
  const amount = parseUnits(typed['uma-amount'], currencyOf(code).decimals)
  if (amount === undefined) return back('uma-amount')
  const wanted = { username, code, amount, expirySeconds: DAY_SECONDS }
  try {
    const { uuid } = await deps.limits.abroad(username, () =>
      typed.payer === '' ? createUmaInvoice(deps, wanted) : sendUmaRequest(deps, { ...wanted, sender: typed.payer }),
    )
    return seeOther(`/invoices/uma/${uuid}`)
  } catch (error) {
    if (isVaspError(error) && error.status < 500) return back(typed.payer === '' ? 'uma-amount' : 'payer')
    throw error
  }
})
