import { CURRENCY_CODES, currencyOf } from '../../lib/money/currencies'

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
  const decimals = Object.hasOwn(BUDGET_CURRENCIES, currency) ? BUDGET_CURRENCIES[currency] : undefined
  const digits = /^(\d{1,12})(?:\.(\d{1,3}))?$/.exec(amount.trim())
  if (decimals === undefined || digits === null || !BUDGET_PERIODS.some((known) => known === period)) return undefined
  const [, whole = '', fraction = ''] = digits
  if (fraction.length > decimals) return undefined
  const smallest = BigInt(whole + fraction.padEnd(decimals, '0'))
  if (smallest === 0n) return undefined
  return `${smallest}.${currency}${period === 'none' ? '' : `/${period}`}`
}

/** Formats `5000.USD/monthly` for the page; unchanged when it cannot be read. */
export function budgetWords(budget: string | null): string {
  if (budget === null) return 'no limit'
  const parts = /^(\d+)\.(\w{3})(?:\/(\w+))?$/.exec(budget)
  const decimals = BUDGET_CURRENCIES[parts?.[2] ?? '']
  if (parts === null || decimals === undefined) return budget
  return `${minorText(BigInt(parts[1] ?? '0'), decimals)} ${parts[2]} ${parts[3] ?? 'in total'}`
}

const grouped = new Intl.NumberFormat('en-US')

/** Formats smallest units: 124050 with 2 decimals is 1,240.50. */
export function minorText(smallest: bigint, decimals: number): string {
  const digits = smallest.toString().padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  return grouped.format(BigInt(digits.slice(0, cut))) + (decimals === 0 ? '' : `.${digits.slice(cut)}`)
}

/** Formats millisatoshis in satoshis; the three decimals only when they are not zero. */
export function msatsText(msats: bigint): string {
  return `${minorText(msats, 3).replace(/\.000$/, '')} SAT`
}

export function satsText(sats: number): string {
  return `${grouped.format(sats)} SAT`
}
