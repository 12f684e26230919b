import { z } from 'zod'

// The reply models of the public gateway (uma-auth-api 0.0.10), as strict as the gateway. Unknown fields are ignored; null means absent.

const positive = z.int().min(1)
const natural = z.int().min(0)

export const CurrencyModel = z.object({
  code: z.string(),
  symbol: z.string(),
  name: z.string(),
  decimals: natural,
})

const CurrencyPreferenceModel = z.object({
  currency: CurrencyModel,
  multiplier: z.number().positive(),
  min: positive,
  max: positive,
})

export const InfoModel = z.object({
  pubkey: z.string(),
  network: z.enum(['regtest', 'signet', 'testnet', 'mainnet']),
  methods: z.array(z.string()),
  alias: z.string().nullish(),
  color: z.string().nullish(),
  block_hash: z.string().nullish(),
  lud16: z.string().nullish(),
  block_height: natural.nullish(),
  currencies: z.array(CurrencyPreferenceModel).nullish(),
})

export const BalanceModel = z.object({ balance: z.number().min(0), currency: CurrencyModel.nullish() })

export const TransactionModel = z.object({
  type: z.enum(['incoming', 'outgoing']),
  payment_hash: z.string(),
  amount: positive,
  created_at: z.int(),
  invoice: z.string().nullish(),
  description: z.string().nullish(),
  description_hash: z.string().nullish(),
  preimage: z.string().nullish(),
  fees_paid: natural.nullish(),
  expires_at: z.int().nullish(),
  settled_at: z.int().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})
export type Transaction = z.output<typeof TransactionModel>

export const TransactionsModel = z.object({ transactions: z.array(TransactionModel) })

export const LookupUserModel = z.object({ currencies: z.array(CurrencyPreferenceModel).nullish() })

export const QuoteModel = z.object({
  sending_currency: CurrencyModel,
  receiving_currency: CurrencyModel,
  payment_hash: z.string().max(255),
  expires_at: z.int(),
  created_at: z.int(),
  multiplier: z.number().positive(),
  fees: natural,
  total_sending_amount: positive,
  total_receiving_amount: positive,
})
export type Quote = z.output<typeof QuoteModel>

export const PaymentModel = z.object({ preimage: z.string(), total_budget_currency_amount: positive.nullish() })

export const PayToAddressModel = PaymentModel.extend({ quote: QuoteModel })

export const EstimateModel = z.object({ estimated_budget_currency_amount: positive })

export const ERROR_CODES = [
  'RATE_LIMITED',
  'NOT_IMPLEMENTED',
  'INSUFFICIENT_BALANCE',
  'PAYMENT_FAILED',
  'NOT_FOUND',
  'QUOTA_EXCEEDED',
  'RESTRICTED',
  'UNAUTHORIZED',
  'INTERNAL',
  'OTHER',
] as const

export const ErrorModel = z.object({ code: z.enum(ERROR_CODES), message: z.string() })

/** Fields that the gateway reads as integers: it refuses `100.0` and `1e2`, which JavaScript reads as integers. */
const INTEGER_FIELDS =
  /"(decimals|min|max|amount|created_at|fees_paid|expires_at|settled_at|block_height|fees|total_sending_amount|total_receiving_amount|total_budget_currency_amount|estimated_budget_currency_amount)"\s*:\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)/gi

/** The first integer field that is not written as a JSON integer; undefined when all are. */
export function writtenAsFloat(text: string): string | undefined {
  for (const [, name = '', value = ''] of text.matchAll(INTEGER_FIELDS))
    if (!/^-?\d+$/.test(value)) return `${name} is written as ${value}, which is not a JSON integer`
  return undefined
}
