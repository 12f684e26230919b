import { convert } from './convert'
import type { CurrencyCode, RateTable } from './currencies'
import { toLedgerUnits } from './ledger-units'

/** The maximum for one payment, in satoshis (0.1 bitcoin). The maximum of every other currency follows from it. */
const MAX_PAYMENT_SATS = 10_000_000n
export const MAX_PAYMENT_MSATS = toLedgerUnits(MAX_PAYMENT_SATS, 'SAT')

/** 21 million bitcoin: more than any balance, and within the ledger's 64-bit integers. */
export const ALL_BITCOIN_MSATS = 2_100_000_000_000_000_000n

export interface Limits {
  /** Smallest units of the currency. */
  readonly min: bigint
  readonly max: bigint
}

/** The only source of limits: `/info` shows them, and payments are checked against them. */
export function limitsOf(code: CurrencyCode, rates: RateTable): Limits {
  return { min: 1n, max: convert(MAX_PAYMENT_SATS, 'SAT', code, 'down', rates) }
}
