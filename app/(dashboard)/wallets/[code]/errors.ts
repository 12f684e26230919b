import type { Currency } from '@/lib/money/currencies'
import type { ErrorTexts } from '@/lib/platform/http/form-errors'

/** Errors of the forms of a wallet: Convert and Faucet. */
export function walletErrors({ code, decimals }: Currency): ErrorTexts {
  const format = decimals === 0 ? 'without decimals, such as 1,000' : `with at most ${decimals} decimals, such as 12.50`
  return {
    'amount.invalid': `This amount cannot be converted, so nothing was moved. Type a positive number ${format}, worth at least one unit of the other currency.`,
    'amount.too-much': `There is less than that in your ${code} wallet, so nothing was converted. Type a smaller amount.`,
    'to.same': 'Both sides were the same wallet, so nothing was converted. Choose another one.',
    'faucet-limit':
      'This wallet is full by the measure of the faucet (about 10,000 US dollars), so it added nothing. Spend or convert some first.',
  }
}
