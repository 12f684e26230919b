/** One line of the list. */
export interface ListedCurrency {
  readonly symbol: string
  readonly name: string
  /** Decimal places: those of ISO 4217, and 0 for SAT, whose smallest unit is one satoshi. */
  readonly decimals: number
  /** The price of one smallest unit (cent, yen, fils, satoshi) as an exact ratio: `[millisatoshis, units]`. */
  readonly price: readonly [bigint, bigint]
}

/**
 * The currencies that wallets can hold. To add one, add one line: a three-letter code of ISO 4217, and a smallest unit worth at
 * least two millisatoshis. House accounts are opened at the next start; limits, rates, the OpenAPI document and the forms follow.
 *
 * The prices are invented sandbox values, set on 2026-11-01, and not market data. They come from a round 100,000 USD for one
 * bitcoin (100,000,000,000 msats / 10,000,000 cents = 10,000 msats a cent) and these prices of one US dollar: 0.92 EUR, 0.79 GBP,
 * 18.40 MXN, 5.35 BRL, 58.60 PHP, 84.50 INR, 1,640 NGN, 154 JPY, 0.307 KWD.
 */
export const CURRENCY_LIST = {
  SAT: { symbol: '₿', name: 'Satoshi', decimals: 0, price: [1_000n, 1n] },
  USD: { symbol: '$', name: 'US Dollar', decimals: 2, price: [10_000n, 1n] },
  EUR: { symbol: '€', name: 'Euro', decimals: 2, price: [1_000_000n, 92n] },
  GBP: { symbol: '£', name: 'Pound Sterling', decimals: 2, price: [1_000_000n, 79n] },
  MXN: { symbol: 'MX$', name: 'Mexican Peso', decimals: 2, price: [1_000_000n, 1_840n] },
  BRL: { symbol: 'R$', name: 'Brazilian Real', decimals: 2, price: [1_000_000n, 535n] },
  PHP: { symbol: '₱', name: 'Philippine Peso', decimals: 2, price: [1_000_000n, 5_860n] },
  INR: { symbol: '₹', name: 'Indian Rupee', decimals: 2, price: [1_000_000n, 8_450n] },
  NGN: { symbol: '₦', name: 'Nigerian Naira', decimals: 2, price: [1_000_000n, 164_000n] },
  JPY: { symbol: '¥', name: 'Japanese Yen', decimals: 0, price: [1_000_000n, 154n] },
  KWD: { symbol: 'KD', name: 'Kuwaiti Dinar', decimals: 3, price: [1_000_000n, 307n] },
} as const satisfies Readonly<Record<string, ListedCurrency>>
