import { currencyOf } from '../money/currencies'
import type { Quote } from '../quotes/types'

const figures = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 6 })

/** "1 EUR = 1.08696 USD", as it was told: for reading only, no amount is computed from it. Null for one currency. */
export function rateInWords({ multiplier, receivingCurrency, sendingCode }: Quote): string | null {
  if (receivingCurrency.code === sendingCode) return null
  const whole = multiplier * 10 ** (receivingCurrency.decimals - currencyOf(sendingCode).decimals)
  return `1 ${receivingCurrency.code} = ${figures.format(whole)} ${sendingCode}`
}
