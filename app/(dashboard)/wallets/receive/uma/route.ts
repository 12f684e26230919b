import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/page-answers'
import { personForm, requestIdOf } from '@/lib/platform/http/page-route'
import { readWallets } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { parseUnits } from '@/lib/money/format'
import { parseAddress } from '@/lib/uma/address'
import { createUmaInvoice } from '@/lib/uma/uma-invoices/create'
import { requestProblem } from '@/lib/uma/uma-invoices/request-problem'
import { sendUmaRequest } from '@/lib/uma/uma-invoices/send-request'
import { LONGEST_FIELD_BYTES } from '@/lib/uma/uma-invoices/tlv'

const DAY_SECONDS = 86_400

/** Makes a UMA invoice; where an address is named, it is for that one alone and is brought there as a request. */
export const POST = personForm(async ({ deps, username, form }) => {
  const field = (name: string, longest: number): string => (form.get(name) ?? '').trim().slice(0, longest)
  const typed = {
    'uma-currency': field('uma-currency', 40),
    'uma-amount': field('uma-amount', 40),
    payer: field('payer', 400),
  }
  const requestId = requestIdOf(form)
  // Their silence does not say whether they have it: sent again, it has to be the same invoice.
  const back = (error: string): Response => {
    const kept = error === 'their-silent' ? { request_id: requestId } : undefined
    return seeOther(
      `/wallets/receive?${new URLSearchParams({ ...typed, ...kept, error })}#${error.startsWith('uma-') ? error : 'payer'}`,
    )
  }
  const code = (await readWallets(deps.db, username)).find((wallet) => wallet.code === typed['uma-currency'])?.code
  if (code === undefined) return back('uma-currency')
  const amount = parseUnits(typed['uma-amount'], currencyOf(code).decimals)
  if (amount === undefined) return back('uma-amount')
  if (typed.payer !== '' && !isUmaAddress(typed.payer)) return back('payer')
  const wanted = { username, code, amount, expirySeconds: DAY_SECONDS, requestId }
  try {
    const { uuid } = await deps.limits.runOutbound(username, () =>
      typed.payer === '' ? createUmaInvoice(deps, wanted) : sendUmaRequest(deps, { ...wanted, sender: typed.payer }),
    )
    return seeOther(`/invoices/uma/${uuid}`)
  } catch (error) {
    const problem = isVaspError(error) ? requestProblem(error) : undefined
    if (problem === undefined) throw error
    return back(problem)
  }
})

function isUmaAddress(text: string): boolean {
  try {
    return parseAddress(text).isUma && text.length <= LONGEST_FIELD_BYTES
  } catch (error) {
    if (isVaspError(error)) return false
    throw error
  }
}
