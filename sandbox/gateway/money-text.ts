import type { Currency } from './login'

const GROUPED = new Intl.NumberFormat('en')

/** Formats smallest units: 1250 of a currency with two decimals is "12.50". */
export function moneyText(amount: number, currency: Pick<Currency, 'code' | 'decimals'>): string {
  const digits = String(amount).padStart(currency.decimals + 1, '0')
  const whole = GROUPED.format(Number(digits.slice(0, digits.length - currency.decimals)))
  const rest = currency.decimals === 0 ? '' : `.${digits.slice(-currency.decimals)}`
  return `${whole}${rest} ${currency.code}`
}

/** The bare number for an input field: "12.50". */
export function plainMoney(amount: number, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/**
 * Parses a typed amount to smallest units; undefined for anything but a positive amount with the currency's decimals. A
 * comma separates groups of three digits and is never a decimal point, so 12,50 is rejected.
 */
export function parseMoney(text: string, decimals: number): number | undefined {
  const match = /^(\d{1,3}(?:,\d{3}){1,5}|\d{1,15})(?:\.(\d+))?$/.exec(text.trim())
  const [, whole = '', rest = ''] = match ?? []
  if (match === null || rest.length > decimals) return undefined
  const amount = Number(whole.replaceAll(',', '') + rest.padEnd(decimals, '0'))
  return Number.isSafeInteger(amount) && amount > 0 ? amount : undefined
}
