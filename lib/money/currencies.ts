/** What the wallets can hold. `decimals` are the digits of the smallest unit: ISO 4217, and 0 for SAT (one satoshi). */
export interface Currency {
  readonly code: CurrencyCode
  readonly symbol: string
  readonly name: string
  readonly decimals: number
}

export const CURRENCY_CODES = ['SAT', 'USD', 'EUR', 'GBP', 'MXN', 'BRL', 'PHP', 'INR', 'NGN', 'JPY', 'KWD'] as const
export type CurrencyCode = (typeof CURRENCY_CODES)[number]

const CURRENCIES: Readonly<Record<CurrencyCode, Currency>> = {
  SAT: { code: 'SAT', symbol: '₿', name: 'Satoshi', decimals: 0 },
  USD: { code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 },
  EUR: { code: 'EUR', symbol: '€', name: 'Euro', decimals: 2 },
  GBP: { code: 'GBP', symbol: '£', name: 'Pound Sterling', decimals: 2 },
  MXN: { code: 'MXN', symbol: 'MX$', name: 'Mexican Peso', decimals: 2 },
  BRL: { code: 'BRL', symbol: 'R$', name: 'Brazilian Real', decimals: 2 },
  PHP: { code: 'PHP', symbol: '₱', name: 'Philippine Peso', decimals: 2 },
  INR: { code: 'INR', symbol: '₹', name: 'Indian Rupee', decimals: 2 },
  NGN: { code: 'NGN', symbol: '₦', name: 'Nigerian Naira', decimals: 2 },
  JPY: { code: 'JPY', symbol: '¥', name: 'Japanese Yen', decimals: 0 },
  KWD: { code: 'KWD', symbol: 'KD', name: 'Kuwaiti Dinar', decimals: 3 },
}

/** Name, symbol and decimals of a currency of this VASP. */
export function currencyOf(code: CurrencyCode): Currency {
  return CURRENCIES[code]
}

/** True for a code that this VASP knows, spelled exactly: lower case and inherited names such as `constructor` are not. */
export function isCurrencyCode(value: string): value is CurrencyCode {
  return (CURRENCY_CODES as readonly string[]).includes(value)
}
