import { isVaspError } from '@/lib/platform/errors'
import { plainText, seeOther } from '@/lib/platform/http/page-answers'
import { personForm, requestIdOf } from '@/lib/platform/http/page-route'
import { isCurrencyCode } from '@/lib/money/currencies'
import { parseAmount } from '@/lib/money/format'
import { exchange } from '@/lib/wallets/service'

export const POST = personForm(async ({ deps, username, form }) => {
  const from = form.get('from') ?? ''
  const to = form.get('to') ?? ''
  if (!isCurrencyCode(from) || !isCurrencyCode(to)) return plainText(400, 'There is no such currency.')
  const typed = form.get('amount') ?? ''
  const back = (problem: string): Response =>
    seeOther(
      `/wallets/${from}?${new URLSearchParams({ error: problem, amount: typed.slice(0, 40), to }).toString()}#amount`,
    )
  if (from === to) return back('same')
  const amount = parseAmount(typed, from)
  if (amount === undefined) return back('amount')
  try {
    await exchange(deps, { username, from, to, amount, requestId: requestIdOf(form) })
  } catch (error) {
    if (!isVaspError(error) || error.status !== 400) throw error
    return back(error.code === 'INSUFFICIENT_BALANCE' ? 'too-little' : 'amount')
  }
  return seeOther(`/wallets/${to}?done=converted`)
})
