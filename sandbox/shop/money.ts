import { CURRENCY_CODES, currencyOf, rateOf } from '../../lib/money/currencies'
import { commaProblem, formatAmount, formatUnits, parseUnits } from '../../lib/money/format'
import { msatsInLedgerUnits } from '../../lib/money/ledger-units'

const BUDGET_CODES = [...CURRENCY_CODES.filter((code) => code !== 'SAT'), 'SAT'] as const

/**
 * Decimals of the currencies that a budget can have here, SAT last; a wallet's answers state their own decimals. The
 * list is the sandbox's: your own app uses the currencies that its users' wallets name.
 */
export const BUDGET_CURRENCIES: Readonly<Record<string, number>> = Object.fromEntries(
  BUDGET_CODES.map((code) => [code, currencyOf(code).decimals]),
)
export const BUDGET_PERIODS = ['none', 'daily', 'weekly', 'monthly', 'yearly'] as const

/** `50.00`, USD, monthly become `5000.USD/monthly`; undefined for an invalid amount. Uses text only, never a float. */
export function budgetText(amount: string, currency: string, period: string): string | undefined {
  const decimals = decimalsOf(currency)
  const smallest = decimals === undefined ? undefined : parseUnits(amount, decimals)
  if (smallest === undefined || !BUDGET_PERIODS.some((known) => known === period)) return undefined
  return `${smallest}.${currency}${period === 'none' ? '' : `/${period}`}`
}

/** Why a budget's amount is refused. */
export function budgetProblem(amount: string, currency: string): string {
  return (
    commaProblem(amount, decimalsOf(currency) ?? 0) ??
    'Enter an amount such as 50.00, with a decimal point and no more decimals than the currency has.'
  )
}

function decimalsOf(currency: string): number | undefined {
  return Object.hasOwn(BUDGET_CURRENCIES, currency) ? BUDGET_CURRENCIES[currency] : undefined
}

/** Formats `5000.USD/monthly` for the page, SAT without a currency (UMADE-01); unchanged when it cannot be read. */
export function budgetWords(budget: string | null): string {
  if (budget === null) return 'no limit'
  const parts = /^(\d{1,20})(?:\.(\w{3}))?(?:\/(\w{1,20}))?$/.exec(budget)
  if (parts === null) return budget
  const [, amount = '0', code = 'SAT', period = 'in total'] = parts
  const decimals = decimalsOf(code)
  return decimals === undefined ? budget : `${formatUnits(BigInt(amount), decimals)} ${code} ${period}`
}

/** Formats millisatoshis in satoshis; the three decimals only when they are not zero. */
export function msatsText(msats: bigint): string {
  return `${formatUnits(msats, 3).replace(/\.000$/, '')} SAT`
}

export function satsText(sats: number): string {
  return `${formatUnits(BigInt(sats), 0)} SAT`
}

/** The same in US dollars at the sandbox's listed rate, rounded up. A wallet pays at its own rate, so it is never what is charged. */
export function dollarsText(sats: number): string {
  return `about ${formatAmount(msatsInLedgerUnits(BigInt(sats) * 1_000n, 'USD', 'up', rateOf), 'USD')} USD`
}
