import { currencyOf, type CurrencyCode } from './currencies'
import { ledgerDecimals, toLedgerUnits } from './ledger-units'

const LARGEST = 10n ** 15n
/** Exact for integers of any length. */
const GROUPED = new Intl.NumberFormat('en')

/** Ledger units as readable text: "1,240.50", "300,000", and "12.345" for satoshis with a fraction. Exact, without floats. */
export function formatAmount(units: bigint, code: CurrencyCode): string {
  const text = formatUnits(units, ledgerDecimals(code))
  return code === 'SAT' ? text.replace(/\.0*$/, '') : text
}

/** Smallest units of any currency, known to this VASP or not, as readable text: 124050 with two decimals is "1,240.50". */
export function formatUnits(units: bigint, decimals: number): string {
  const sign = units < 0n ? '−' : ''
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  const whole = GROUPED.format(BigInt(digits.slice(0, digits.length - decimals)))
  return `${sign}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`
}

/**
 * Reads a typed amount as ledger units: "12.50" is 1250 cents, "1,000" a thousand. Undefined for anything that is not a
 * positive amount with at most the currency's decimals, and for more than 10^15 smallest units.
 */
export function parseAmount(text: string, code: CurrencyCode): bigint | undefined {
  const smallestUnits = parseUnits(text, currencyOf(code).decimals)
  return smallestUnits === undefined ? undefined : toLedgerUnits(smallestUnits, code)
}

/** Like `parseAmount`, but in smallest units of any currency, known to this VASP or not. */
export function parseUnits(text: string, decimals: number): bigint | undefined {
  const match = /^(\d{1,3}(?:,\d{3}){1,5}|\d{1,16})(?:\.(\d+))?$/.exec(text.trim())
  const [, whole = '', rest = ''] = match ?? []
  if (match === null || rest.length > decimals) return undefined
  const smallestUnits = BigInt(whole.replaceAll(',', '') + rest.padEnd(decimals, '0'))
  return smallestUnits > 0n && smallestUnits <= LARGEST ? smallestUnits : undefined
}
