import type { Currency } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import type { StatementLine } from '@/lib/wallets/queries'

/** What was added stands on the statement: the address bar decides no figure. */
export function doneSentence(
  done: string | undefined,
  { code }: Currency,
  newest: Pick<StatementLine, 'kind' | 'amount'> | undefined,
): string | undefined {
  if (done === 'faucet')
    return newest?.kind === 'faucet'
      ? `Added ${formatAmount(newest.amount, code)} ${code}.`
      : `The faucet added to your ${code} wallet.`
  if (done === 'converted') return `Converted. What arrived is the newest entry of your ${code} wallet.`
  return undefined
}

/** What happened, whose side, what to do. Only codes known here are spelled out; the address bar decides no text. */
export function problemSentence(error: string | undefined, { code, decimals }: Currency): string | undefined {
  switch (error) {
    case undefined:
      return undefined
    case 'amount':
      return `This amount cannot be converted, so nothing was moved. Type a positive number ${decimalsOf(decimals)}, worth at least one unit of the other currency.`
    case 'too-little':
      return `There is less than that in your ${code} wallet, so nothing was converted. Type a smaller amount.`
    case 'same':
      return 'Both sides were the same wallet, so nothing was converted. Choose another one.'
    case 'faucet-limit':
      return 'This wallet is full by the measure of the faucet (about 10,000 US dollars), so it added nothing. Spend or convert some first.'
    default:
      return 'It did not work on our side, and nothing was moved. Try again.'
  }
}

function decimalsOf(decimals: number): string {
  return decimals === 0 ? 'without decimals, such as 1,000' : `with at most ${decimals} decimals, such as 12.50`
}
