import { z } from 'zod'
import { decimals } from './login'

/**
 * The VASP's answers as the public gateway's models accept them: strict integers, unknown fields dropped, missing
 * optional fields as null. An answer that does not match is an error for the app, even if the VASP answered 200.
 */
const text = z.string()
const optionalText = text.nullish().default(null)
const amount = z.int().min(1)
const optionalSeconds = z.int().nullish().default(null)

const Currency = z.object({ code: text, symbol: text, name: text, decimals })
const CurrencyPreference = z.object({ currency: Currency, multiplier: z.number().positive(), min: amount, max: amount })

export const InfoReply = z.object({
  alias: optionalText,
  color: optionalText,
  pubkey: text,
  network: z.enum(['regtest', 'signet', 'testnet', 'mainnet']),
  block_height: z.int().min(0).nullish().default(null),
  block_hash: optionalText,
  methods: z.array(text),
  lud16: optionalText,
  currencies: z.array(CurrencyPreference).nullish().default(null),
})

export const BalanceReply = z.object({ balance: z.number().min(0), currency: Currency.nullish().default(null) })

export const TransactionReply = z.object({
  type: z.enum(['incoming', 'outgoing']),
  invoice: optionalText,
  description: optionalText,
  description_hash: optionalText,
  preimage: optionalText,
  payment_hash: text,
  amount,
  fees_paid: z.int().min(0).nullish().default(null),
  created_at: z.int(),
  expires_at: optionalSeconds,
  settled_at: optionalSeconds,
  metadata: z.record(z.string(), z.unknown()).nullish().default(null),
})

export const TransactionsReply = z.object({ transactions: z.array(TransactionReply) })

export const LookupUserReply = z.object({ currencies: z.array(CurrencyPreference).nullish().default(null) })

export const QuoteReply = z.object({
  sending_currency: Currency,
  receiving_currency: Currency,
  payment_hash: text.max(255),
  expires_at: z.int(),
  created_at: z.int(),
  multiplier: z.number().positive(),
  fees: z.int().min(0),
  total_sending_amount: amount,
  total_receiving_amount: amount,
})

export const PaymentReply = z.object({
  preimage: text,
  total_budget_currency_amount: amount.nullish().default(null),
})

export const PayToAddressReply = PaymentReply.extend({ quote: QuoteReply })

export const EstimateReply = z.object({ estimated_budget_currency_amount: amount })
