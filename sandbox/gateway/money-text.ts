import { parseUnits } from '../../lib/money/format'
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

/** A typed amount in smallest units; undefined for anything but a positive amount with the currency's decimals. */
export function parseMoney(text: string, decimals: number): number | undefined {
  const units = parseUnits(text, decimals)
  return units === undefined ? undefined : Number(units)
}
