import type { CurrencyCode } from './currencies'

/** A price as an exact ratio: `numerator / denominator` millisatoshis for one smallest unit of the currency. */
export interface Rate {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** The day the seeded rates were set. They are fixed numbers of a sandbox, not market data. */
export const RATES_AS_OF = '2026-11-01'

/**
 * Millisatoshis for one smallest unit (cent, yen, fils, satoshi).
 * Set from a round 100,000 USD for one bitcoin (100,000,000,000 msats / 10,000,000 cents = 10,000 msats a cent)
 * and these prices of one US dollar: 0.92 EUR, 0.79 GBP, 18.40 MXN, 5.35 BRL, 58.60 PHP, 84.50 INR, 1,640 NGN,
 * 154 JPY, 0.307 KWD.
 */
const MSATS_PER_SMALLEST_UNIT: Readonly<Record<CurrencyCode, Rate>> = {
  SAT: { numerator: 1_000n, denominator: 1n },
  USD: { numerator: 10_000n, denominator: 1n },
  EUR: { numerator: 1_000_000n, denominator: 92n },
  GBP: { numerator: 1_000_000n, denominator: 79n },
  MXN: { numerator: 1_000_000n, denominator: 1_840n },
  BRL: { numerator: 1_000_000n, denominator: 535n },
  PHP: { numerator: 1_000_000n, denominator: 5_860n },
  INR: { numerator: 1_000_000n, denominator: 8_450n },
  NGN: { numerator: 1_000_000n, denominator: 164_000n },
  JPY: { numerator: 1_000_000n, denominator: 154n },
  KWD: { numerator: 1_000_000n, denominator: 307n },
}

/** Millisatoshis for one smallest unit of a currency, as a fraction. */
export function rateOf(code: CurrencyCode): Rate {
  return MSATS_PER_SMALLEST_UNIT[code]
}

/** The protocol's floating `multiplier`, made from the fraction at the edge and never read back. */
export function multiplierOf(code: CurrencyCode): number {
  const rate = rateOf(code)
  return Number(rate.numerator) / Number(rate.denominator)
}
