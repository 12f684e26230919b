import { formatUnits, parseUnits } from '../../lib/money/format'
import type { Currency } from './login'

/** Formats smallest units: 1250 of a currency with two decimals is "12.50 USD". */
export function moneyText(amount: number, { code, decimals }: Pick<Currency, 'code' | 'decimals'>): string {
  return `${formatUnits(BigInt(amount), decimals)} ${code}`
}

/** The bare number for an input field: "12.50". */
export function plainMoney(amount: number, decimals: number): string {
  return formatUnits(BigInt(amount), decimals).replaceAll(',', '')
}

/** A typed amount in smallest units; undefined for anything but a positive amount with the currency's decimals. */
export function parseMoney(text: string, decimals: number): number | undefined {
  const units = parseUnits(text, decimals)
  return units === undefined ? undefined : Number(units)
}
