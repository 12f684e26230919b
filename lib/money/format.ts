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

/** "3,000 SAT": an amount on the Lightning network, in millisatoshis, as readable text. Exact. */
export function inSats(msats: bigint): string {
  // The ledger units of SAT are millisatoshis.
  return `${formatAmount(msats, 'SAT')} SAT`
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
  const read = readAmount(text, code)
  return typeof read === 'bigint' ? read : undefined
}

/** Like `readUnits`, but in ledger units of a currency of this VASP. */
export function readAmount(text: string, code: CurrencyCode): bigint | AmountProblem {
  const smallestUnits = readUnits(text, currencyOf(code).decimals)
  return typeof smallestUnits === 'bigint' ? toLedgerUnits(smallestUnits, code) : smallestUnits
}

/** Like `parseAmount`, but in smallest units of any currency, known to this VASP or not. */
export function parseUnits(text: string, decimals: number): bigint | undefined {
  const read = readUnits(text, decimals)
  return typeof read === 'bigint' ? read : undefined
}

/**
 * Why a typed amount is refused. `comma`: a comma that does not separate groups of three digits, as in 12,50.
 * `ambiguous`: 1,234 in a currency with three decimals is one thousand or one.
 */
export type AmountProblem = 'comma' | 'ambiguous' | 'invalid'

/**
 * Reads an amount that a person typed, in smallest units. Every form that takes an amount uses this rule: a point
 * separates decimals, and a comma separates groups of three digits. A single comma without a point is refused in a
 * currency with three decimals, because many people write decimals with a comma, and both readings fit.
 */
export function readUnits(text: string, decimals: number): bigint | AmountProblem {
  const typed = text.trim()
  const match = /^([1-9]\d{0,2}(?:,\d{3}){1,5}|\d{1,16})(?:\.(\d+))?$/.exec(typed)
  if (decimals === 3 && ONE_COMMA.test(typed)) return 'ambiguous'
  // Without decimals, a point would be as wrong as the comma.
  if (match === null) return decimals > 0 && typed.includes(',') && /^[\d.,]{1,40}$/.test(typed) ? 'comma' : 'invalid'
  const [, whole = '', rest = ''] = match
  if (rest.length > decimals) return 'invalid'
  const smallestUnits = BigInt(whole.replaceAll(',', '') + rest.padEnd(decimals, '0'))
  return smallestUnits > 0n && smallestUnits <= LARGEST ? smallestUnits : 'invalid'
}

const ONE_COMMA = /^\d{1,3},\d{3}$/

/** The sentence for a field with a refused comma: "1,234 can mean 1234 or 1.234. Type one of these." */
export function commaText(problem: 'comma' | 'ambiguous', typed: string): string {
  const text = typed.trim()
  if (problem === 'comma' || !ONE_COMMA.test(text)) return 'Use a point for decimals.'
  const [thousands, decimal] = [text.replace(',', '').replace(/^0+(?=\d)/, ''), text.replace(',', '.')]
  return `${text} can mean ${thousands} or ${decimal}. Type one of these.`
}

/** The sentence for a typed amount whose comma is the problem; undefined for any other text. */
export function commaProblem(typed: string, decimals: number): string | undefined {
  const read = readUnits(typed, decimals)
  return read === 'comma' || read === 'ambiguous' ? commaText(read, typed) : undefined
}
