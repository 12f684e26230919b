import { FARTHEST_OFFSET, LARGEST_PAGE } from '../transactions/queries'
import { z } from 'zod'
import { ERROR_CODES } from '../errors'
import { LONGEST_DESCRIPTION_BYTES, LONGEST_EXPIRY_SECONDS, isDescription } from '../invoices/create'
import { isNodeKey } from '../lightning/node-key'
import { CURRENCY_CODES } from '../money/currencies'

/** The shapes on the wire, spelled as the protocol spells them. Routes, replies and /openapi.json all come from here. */

/** Stands in the examples for the domain of the VASP that publishes the document. */
export const EXAMPLE_DOMAIN = 'vasp.example'

const positiveInteger = z.int().min(1)

const CurrencyCodeSchema = z
  .enum(CURRENCY_CODES)
  .meta({ description: 'ISO 4217 code, or SAT for bitcoin in whole satoshis', example: 'USD' })

/**
 * An integer in a query string. Only plain digits: no sign, exponent, blank or other scripts' digits, and never more than
 * JSON readers keep exact (2^53 - 1).
 */
const AmountQuerySchema = z
  .string()
  .regex(/^[1-9][0-9]{0,15}$/, { abort: true })
  .refine((digits) => BigInt(digits) <= BigInt(Number.MAX_SAFE_INTEGER))
  .transform((digits) => BigInt(digits))

const CurrencySchema = z
  .object({
    code: CurrencyCodeSchema,
    symbol: z.string(),
    name: z.string(),
    decimals: z.int().min(0).meta({ description: 'Digits of the smallest unit' }),
  })
  .meta({ id: 'Currency' })

const CurrencyPreferenceSchema = z
  .object({
    currency: CurrencySchema,
    multiplier: z.number().positive().meta({ description: 'Millisatoshis per smallest unit' }),
    min: positiveInteger.meta({ description: 'Smallest amount of one payment, in smallest units' }),
    max: positiveInteger.meta({ description: 'Largest amount of one payment, in smallest units' }),
  })
  .meta({ id: 'CurrencyPreference' })

export const InfoReply = z
  .object({
    alias: z.string(),
    color: z.string().regex(/^#[0-9A-F]{6}$/),
    pubkey: z.string().meta({ description: "The Lightning node's public key, hex" }),
    network: z.literal('regtest'),
    methods: z.array(z.string()).meta({ description: 'The commands this VASP implements' }),
    lud16: z.string().meta({ description: "The user's UMA address", example: `$alice@${EXAMPLE_DOMAIN}` }),
    currencies: z
      .array(CurrencyPreferenceSchema)
      .min(1)
      .meta({ description: "By preference: the first is the user's default" }),
  })
  .meta({ id: 'GetInfoResponse' })

export const BudgetEstimateQuery = z.object({
  sending_currency_code: CurrencyCodeSchema,
  sending_currency_amount: AmountQuerySchema.meta({
    override: { type: 'integer', minimum: 1 },
    description: 'Smallest units of the sending currency',
  }),
  budget_currency_code: CurrencyCodeSchema,
})

export const BudgetEstimateReply = z
  .object({
    estimated_budget_currency_amount: positiveInteger.meta({
      description:
        'Smallest units of the budget currency, at least 1: the largest amount that such a payment debits from the wallet that pays, including the largest fee',
    }),
  })
  .meta({ id: 'BudgetEstimateResponse' })

export const ErrorReply = z
  .object({
    code: z.enum(ERROR_CODES),
    message: z.string(),
    error: z
      .string()
      .optional()
      .meta({ description: 'Present on 401 and on a missing verification key, with the same text' }),
  })
  .meta({ id: 'ErrorResponse' })

export const TokenExchangeBody = z
  .object({
    permissions: z.array(z.string()).min(1).max(64).meta({ description: 'Command names; unknown ones are ignored' }),
    expiration: z.int().min(1).nullish().meta({ description: "The long-lived token's exp, in seconds since 1970" }),
  })
  .meta({ id: 'TokenExchangeRequest' })

export const TokenExchangeReply = z.object({ token: z.string() }).meta({ id: 'TokenExchangeResponse' })

export const TokenExchangeErrorReply = z.object({ error: z.string() }).meta({ id: 'TokenExchangeError' })

/** A payment hash in a path: 64 hex digits, in either case. */
export const PaymentHashParams = z.object({
  payment_hash: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/)
    .transform((hash) => hash.toLowerCase()),
})

export const BalanceQuery = z.object({ currency_code: CurrencyCodeSchema.optional() })

export const BalanceReply = z
  .object({
    balance: z.int().min(0).meta({ description: 'Smallest units of `currency`; millisatoshis when there is none' }),
    currency: CurrencySchema.optional(),
  })
  .meta({ id: 'GetBalanceResponse' })

const amountMsats = z.int().min(1).meta({ description: 'Millisatoshis' })

export const MakeInvoiceBody = z
  .object({
    amount: amountMsats,
    description: z
      .string()
      .refine(isDescription)
      .nullish()
      .meta({ description: `At most ${LONGEST_DESCRIPTION_BYTES} bytes` }),
    description_hash: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/)
      .nullish(),
    expiry: z.int().min(1).max(LONGEST_EXPIRY_SECONDS).nullish().meta({ description: 'Seconds, one hour when absent' }),
  })
  .refine((body) => body.description == null || body.description_hash == null, { path: ['description_hash'] })
  .meta({ id: 'MakeInvoiceRequest' })

export const TransactionReply = z
  .object({
    type: z.enum(['incoming', 'outgoing']),
    payment_hash: z.string(),
    amount: amountMsats,
    fees_paid: z.int().min(0).nullable().meta({ description: 'Millisatoshis' }),
    invoice: z.string().nullable(),
    description: z.string().nullable(),
    description_hash: z.string().nullable(),
    preimage: z.string().nullable().meta({ description: 'Null until settled' }),
    created_at: z.int(),
    expires_at: z.int().nullable(),
    settled_at: z.int().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'Transaction' })

const seconds = z
  .string()
  .regex(/^[0-9]{1,11}$/)
  .transform(Number)

const LIMIT_PROBLEM = `has to be an integer from 1 to ${LARGEST_PAGE}.`
const OFFSET_PROBLEM = `has to be an integer from 0 to ${FARTHEST_OFFSET}.`

/** `type` also comes as a gateway's enumeration prints it: `TransactionType.INCOMING`. */
const direction = z
  .string()
  .regex(/^(TransactionType\.(INCOMING|OUTGOING)|incoming|outgoing)$/)
  .transform((text) => (text.toLowerCase().endsWith('incoming') ? ('incoming' as const) : ('outgoing' as const)))

export const TransactionsQuery = z
  .object({
    from: seconds.optional().meta({ override: { type: 'integer' }, description: 'created_at, seconds, inclusive' }),
    until: seconds.optional().meta({ override: { type: 'integer' }, description: 'created_at, seconds, inclusive' }),
    limit: z
      .string()
      .regex(/^[0-9]{1,12}$/, LIMIT_PROBLEM)
      .transform((digits) => Math.min(Number(digits), LARGEST_PAGE))
      .refine((limit) => limit >= 1, LIMIT_PROBLEM)
      .optional()
      .meta({ override: { type: 'integer', minimum: 1 }, description: `20 when absent, ${LARGEST_PAGE} at most` }),
    offset: z
      .string()
      .regex(/^[0-9]{1,5}$/, OFFSET_PROBLEM)
      .transform(Number)
      .refine((offset) => offset <= FARTHEST_OFFSET, OFFSET_PROBLEM)
      .optional()
      .meta({ override: { type: 'integer', minimum: 0, maximum: FARTHEST_OFFSET } }),
    unpaid: z.enum(['true', 'false']).optional().meta({ description: 'true adds open invoices and pending payments' }),
    type: direction.optional().meta({ override: { type: 'string', enum: ['incoming', 'outgoing'] } }),
  })
  .refine((query) => query.from === undefined || query.until === undefined || query.from <= query.until, {
    path: ['until'],
  })

export const TransactionsReply = z
  .object({
    transactions: z.array(TransactionReply).meta({
      description: `Newest first. Ends at ${LARGEST_PAGE} entries or 36 kB, whichever comes first, with at least one entry; a description that does not fit is shortened. Continue at \`offset\` plus the number received, with the same \`until\`. The end is an empty page.`,
    }),
  })
  .meta({ id: 'ListTransactionsResponse' })

export const PayInvoiceBody = z
  .object({
    invoice: z.string().min(1).max(4_000),
    amount: amountMsats.nullish().meta({ description: 'Millisatoshis, for invoices without an amount' }),
    budget_currency_code: CurrencyCodeSchema.nullish(),
  })
  .meta({ id: 'PayInvoiceRequest' })

/** The preimage travels in this record (bLIP-3), so no other may claim its type. */
const PREIMAGE_RECORD = 5_482_373_484
/** What fits into the onion, with room for the hops. */
const LONGEST_RECORDS_BYTES = 1_200

const TlvRecordSchema = z.object({
  type: z.int().min(65_536).meta({ description: 'At least 65536' }),
  value: z
    .string()
    .regex(/^([0-9a-fA-F]{2})*$/)
    .transform((hex) => hex.toLowerCase())
    .meta({ description: 'Hex' }),
})

export const PayKeysendBody = z
  .object({
    amount: amountMsats,
    pubkey: z
      .string()
      .regex(/^0[23][0-9a-fA-F]{64}$/)
      .transform((key) => key.toLowerCase())
      .refine(isNodeKey, { abort: true })
      .meta({ description: 'Public key of the node, 33 bytes compressed, hex' }),
    preimage: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/)
      .transform((preimage) => preimage.toLowerCase())
      .nullish()
      .meta({ description: 'Made here when absent' }),
    tlv_records: z
      .array(TlvRecordSchema)
      .max(64)
      .refine((records) => records.reduce((sum, { value }) => sum + value.length / 2, 0) <= LONGEST_RECORDS_BYTES)
      .refine((records) => new Set(records.map(({ type }) => type)).size === records.length)
      .nullish()
      .meta({ description: `Each type once, ${LONGEST_RECORDS_BYTES} bytes together at most` }),
    budget_currency_code: CurrencyCodeSchema.nullish(),
  })
  .refine(
    ({ tlv_records: records, preimage }) =>
      records?.every(
        ({ type, value }) => type !== PREIMAGE_RECORD || (preimage != null && value.toLowerCase() === preimage),
      ) ?? true,
    { path: ['tlv_records'] },
  )
  .transform(({ tlv_records: records, ...body }) => ({
    ...body,
    tlv_records: records?.filter(({ type }) => type !== PREIMAGE_RECORD),
  }))
  .meta({ id: 'PayKeysendRequest' })

export const PaymentReply = z
  .object({
    preimage: z.string(),
    total_budget_currency_amount: positiveInteger.meta({
      description:
        'Smallest units of the budget currency, or of the payment’s own when none was named; fees included, rounded up',
    }),
  })
  .meta({ id: 'PaymentResponse' })

/** A receiver's currency: another VASP names it, and it may be unknown here. */
const ReceiverCurrencySchema = CurrencySchema.extend({ code: z.string().min(1).max(3) }).meta({
  id: 'ReceiverCurrency',
})

export const LookupUserParams = z.object({ receiver_address: z.string().max(1_000) })

export const LookupUserQuery = z.object({
  base_sending_currency_code: CurrencyCodeSchema.optional().meta({
    description: 'Multipliers are told in smallest units of this currency; in millisatoshis when absent',
  }),
})

export const LookupUserReply = z
  .object({
    currencies: z
      .array(
        CurrencyPreferenceSchema.extend({
          currency: ReceiverCurrencySchema,
          multiplier: z.number().positive().meta({
            description: 'Millisatoshis, or smallest units of the base currency, per smallest unit',
          }),
        }).meta({ id: 'ReceiverCurrencyPreference' }),
      )
      .meta({ description: 'What the receiver takes, by their preference' }),
  })
  .meta({ id: 'LookupUserResponse' })

const receiverAddress = z
  .string()
  .min(1)
  .max(1_000)
  .meta({ description: 'A UMA or Lightning address', example: `$bob@${EXAMPLE_DOMAIN}` })

/** One of the receiver's currencies, known here or not. */
const receivingCode = z
  .string()
  .regex(/^[A-Z0-9]{1,3}$/)
  .meta({ example: 'EUR' })

export const FetchQuoteQuery = z.object({
  sending_currency_code: CurrencyCodeSchema,
  receiving_currency_code: receivingCode,
  locked_currency_amount: AmountQuerySchema.meta({
    override: { type: 'integer', minimum: 1 },
    description: 'Smallest units of the locked side’s currency',
  }),
  locked_currency_side: z.enum(['sending', 'receiving']),
  receiver_address: receiverAddress,
})

export const QuoteReply = z
  .object({
    sending_currency: CurrencySchema,
    receiving_currency: ReceiverCurrencySchema,
    payment_hash: z.string().regex(/^[0-9a-f]{64}$/),
    expires_at: z.int(),
    created_at: z.int(),
    multiplier: z.number().positive().meta({
      description: 'Smallest units of the sending currency per smallest unit of the receiving currency',
    }),
    fees: z.int().min(0).meta({ description: 'Smallest units of the sending currency, a part of the total' }),
    total_sending_amount: positiveInteger.meta({ description: 'What the wallet will pay, fees included' }),
    total_receiving_amount: positiveInteger.meta({ description: 'What the receiver will get' }),
  })
  .meta({ id: 'Quote' })

export const ExecuteQuoteBody = z
  .object({ budget_currency_code: CurrencyCodeSchema.nullish() })
  .meta({ id: 'ExecuteQuoteRequest' })

export const PayToAddressBody = z
  .object({
    receiver_address: receiverAddress,
    sending_currency_code: CurrencyCodeSchema,
    sending_currency_amount: positiveInteger.meta({ description: 'Smallest units, fees included' }),
    receiving_currency_code: receivingCode.nullish().meta({ description: 'The receiver’s first when absent' }),
    budget_currency_code: CurrencyCodeSchema.nullish(),
  })
  .meta({ id: 'PayToAddressRequest' })

export const PayToAddressReply = PaymentReply.extend({ quote: QuoteReply }).meta({ id: 'PayToAddressResponse' })
