import { isVaspError } from '@/lib/platform/errors'
import { plainText, seeOther } from '@/lib/platform/http/page-answers'
import { personForm, requestIdOf } from '@/lib/platform/http/page-route'
import { isCurrencyCode } from '@/lib/money/currencies'
import { pullFaucet } from '@/lib/wallets/service'

export const POST = personForm(async ({ deps, username, form }) => {
  const code = form.get('currency') ?? ''
  if (!isCurrencyCode(code)) return plainText(400, 'There is no such currency.')
  try {
    await pullFaucet(deps, username, code, requestIdOf(form))
  } catch (error) {
    if (isVaspError(error) && error.code === 'RESTRICTED') return seeOther(`/wallets/${code}?error=faucet-limit`)
    throw error
  }
  return seeOther(`/wallets/${code}?done=faucet`)
})
