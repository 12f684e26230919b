import type { Currency } from '@/lib/money/currencies'
import type { ErrorTexts } from '@/lib/web/form-errors'

/** Errors of the forms of a wallet: Convert and Faucet. */
export function walletErrors({ code, decimals }: Currency): ErrorTexts {
  const format = decimals === 0 ? 'without decimals, such as 1,000' : `with at most ${decimals} decimals, such as 12.50`
  return {
    'amount.invalid': `Enter an amount ${format}, worth at least one unit of the other currency. Nothing was moved.`,
    'amount.too-much': `Your ${code} wallet holds less than that. Nothing was converted. Enter a smaller amount.`,
    'to.same': 'Choose two different wallets. Nothing was converted.',
    'sent-before':
      'This form was already sent, with other values. That request was carried out, and nothing was moved now. Check the statement, then send the form below if you still want to.',
    'faucet-limit':
      'The faucet fills a wallet up to about 10,000 US dollars. Nothing was added. Spend or convert some first.',
  }
}
