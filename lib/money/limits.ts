import { CURRENCY_CODES, type CurrencyCode } from './currencies'
import { convert } from './convert'
import { toLedgerUnits } from './ledger-units'

/** The maximum of one payment, in satoshis (0.1 bitcoin). The maximum of every other currency follows from it. */
const MAX_PAYMENT_SATS = 10_000_000n
export const MAX_PAYMENT_MSATS = toLedgerUnits(MAX_PAYMENT_SATS, 'SAT')

/** 21 million bitcoin: more than any balance, and within the ledger's 64-bit integers. */
export const ALL_BITCOIN_MSATS = 2_100_000_000_000_000_000n

export interface Limits {
  /** Smallest units of the currency. */
  readonly min: bigint
  readonly max: bigint
}

const LIMITS = new Map<CurrencyCode, Limits>(
  CURRENCY_CODES.map((code) => [code, { min: 1n, max: convert(MAX_PAYMENT_SATS, 'SAT', code, 'down') }]),
)

/** The only table of limits: `/info` shows it, and payments must stay within it. */
export function limitsOf(code: CurrencyCode): Limits {
  const limits = LIMITS.get(code)
  if (limits === undefined) throw new Error(`no limits for ${code}`)
  return limits
}
