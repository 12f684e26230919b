import * as z from 'zod'
import { ERROR_CODES } from './errors.ts'
import { FARTHEST_OFFSET, isDescription, MAX_DESCRIPTION_BYTES, MAX_EXPIRY_SECONDS, MAX_PAGE_SIZE } from './limits.ts'

// The wire formats, spelled as in the protocol. Requests, replies and the OpenAPI document all use them.
// `import * as z`, because the import `{ z }` keeps all of zod in a bundle, translations included: 350 kB more.

/** Placeholder in the examples for the domain of the VASP that publishes the document. */
export const EXAMPLE_DOMAIN = 'vasp.example'
/** This record carries the preimage (bLIP-3). A client may name the preimage in the record, in its own member, or in both. */
const PREIMAGE_RECORD = 5_482_373_484
/** The bytes that fit into the onion in addition to the data for the hops. */
const MAX_RECORDS_BYTES = 1_200
const MAX_KEY_LENGTH = 200

const positiveInteger = z.int().min(1)
const amountMsats = z.int().min(1).meta({ description: 'Millisatoshis' })
const msatsInput = amountMsats.transform(BigInt)
const HEX_32 = /^[0-9a-fA-F]{64}$/
const hex32 = z
  .string()
  .regex(HEX_32)
  .transform((hex) => hex.toLowerCase())

/**
 * An integer in a query string. Only plain digits: no sign, exponent, space or digits of other scripts, and never more
 * than JSON readers keep exact (2^53 - 1).
 */
const amountDigits = z
  .string()
  .regex(/^[1-9][0-9]{0,15}$/, { abort: true })
  .refine((digits) => BigInt(digits) <= BigInt(Number.MAX_SAFE_INTEGER))
  .transform(BigInt)

const createdAt = z
  .string()
  .regex(/^[0-9]{1,11}$/)
  .transform(Number)
  .optional()
  .meta({ override: { type: 'integer' }, description: 'created_at, seconds, inclusive' })

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

export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .max(MAX_KEY_LENGTH)

export const IdempotencyHeaders = z.object({
  'Idempotency-Key': IdempotencyKey.optional().meta({
    description:
      'A repeated request with the same key and connection is the same payment. A different request with that key is refused with 400.',
  }),
})

export const PaymentHashParams = z.object({ payment_hash: hex32 })

export const LookupUserParams = z.object({ receiver_address: z.string().max(1_000) })

const receiverAddress = z
  .string()
  .min(1)
  .max(1_000)
  .meta({ description: 'A UMA or Lightning address', example: `$bob@${EXAMPLE_DOMAIN}` })

/** One of the receiver's currencies, whether or not this VASP knows it. */
const receivingCode = z
  .string()
  .regex(/^[A-Z0-9]{1,3}$/)
  .meta({ example: 'EUR' })

/** The receiver's currency: another VASP names it, and it may be unknown to this VASP. */
const currency = z.object({
  code: z.string().min(1).max(3),
  symbol: z.string(),
  name: z.string(),
  decimals: z.int().min(0).meta({ description: 'Decimal places of the smallest unit' }),
})
const ReceiverCurrency = currency.meta({ id: 'ReceiverCurrency' })

const limits = {
  min: positiveInteger.meta({ description: 'Smallest amount of one payment, in smallest units' }),
  max: positiveInteger.meta({ description: 'Largest amount of one payment, in smallest units' }),
}

export const ReceiverCurrencyPreference = z
  .object({
    currency: ReceiverCurrency,
    multiplier: z
      .number()
      .positive()
      .meta({ description: 'Millisatoshis, or smallest units of the base currency, per smallest unit' }),
    ...limits,
  })
  .meta({ id: 'ReceiverCurrencyPreference' })

const LookupUserReply = z
  .object({
    currencies: z
      .array(ReceiverCurrencyPreference)
      .meta({ description: 'What the receiver accepts, in order of preference' }),
  })
  .meta({ id: 'LookupUserResponse' })

const TransactionReply = z
  .object({
    type: z.enum(['incoming', 'outgoing']),
    payment_hash: z.string().regex(HEX_32),
    amount: amountMsats,
    fees_paid: z.int().min(0).nullable().meta({ description: 'Millisatoshis' }),
    invoice: z.string().nullable(),
    description: z.string().nullable(),
    description_hash: z.string().nullable(),
    preimage: z.string().regex(HEX_32).nullable().meta({ description: 'Null until settled' }),
    created_at: z.int(),
    expires_at: z.int().nullable(),
    settled_at: z.int().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'Transaction' })
export type TransactionReply = z.output<typeof TransactionReply>

const TransactionsReply = z
  .object({
    transactions: z.array(TransactionReply).meta({
      description: `Newest first. Ends at ${MAX_PAGE_SIZE} entries or 36 kB, whichever comes first, with at least one entry; a description that does not fit is shortened. Continue at \`offset\` plus the number received, with the same \`until\`. An empty page marks the end.`,
    }),
  })
  .meta({ id: 'ListTransactionsResponse' })

const LIMIT_PROBLEM = `has to be an integer from 1 to ${MAX_PAGE_SIZE}.`
const OFFSET_PROBLEM = `has to be an integer from 0 to ${FARTHEST_OFFSET}.`

const TransactionsQuery = z
  .object({
    from: createdAt,
    until: createdAt,
    limit: z
      .string()
      .regex(/^[0-9]{1,12}$/, LIMIT_PROBLEM)
      .transform((digits) => Math.min(Number(digits), MAX_PAGE_SIZE))
      .refine((limit) => limit >= 1, LIMIT_PROBLEM)
      .optional()
      .meta({ override: { type: 'integer', minimum: 1 }, description: `20 when absent, ${MAX_PAGE_SIZE} at most` }),
    offset: z
      .string()
      .regex(/^[0-9]{1,5}$/, OFFSET_PROBLEM)
      .transform(Number)
      .refine((offset) => offset <= FARTHEST_OFFSET, OFFSET_PROBLEM)
      .optional()
      .meta({ override: { type: 'integer', minimum: 0, maximum: FARTHEST_OFFSET } }),
    unpaid: z.enum(['true', 'false']).optional().meta({ description: 'true adds open invoices and pending payments' }),
    // Also accepts a gateway's enum as Python prints it: `TransactionType.INCOMING`.
    type: z
      .string()
      .regex(/^(TransactionType\.(INCOMING|OUTGOING)|incoming|outgoing)$/)
      .transform((text) => (text.toLowerCase().endsWith('incoming') ? ('incoming' as const) : ('outgoing' as const)))
      .optional()
      .meta({ override: { type: 'string', enum: ['incoming', 'outgoing'] } }),
  })
  .refine((query) => query.from === undefined || query.until === undefined || query.from <= query.until, {
    path: ['until'],
  })

const MakeInvoiceBody = z
  .object({
    amount: msatsInput,
    description: z
      .string()
      .refine(isDescription)
      .nullish()
      .meta({ description: `At most ${MAX_DESCRIPTION_BYTES} bytes` }),
    description_hash: hex32.nullish().meta({ description: 'When both are set, the invoice commits to the hash' }),
    expiry: z.int().min(1).max(MAX_EXPIRY_SECONDS).nullish().meta({ description: 'Seconds, one hour when absent' }),
  })
  .meta({ id: 'MakeInvoiceRequest' })

const TlvRecord = z.object({
  type: z.int().min(65_536).meta({ description: 'At least 65536' }),
  value: z
    .string()
    .regex(/^([0-9a-fA-F]{2})*$/)
    .transform((hex) => hex.toLowerCase())
    .meta({ description: 'Hex' }),
})

/** The preimage in the records, hex. */
const preimageIn = (records: readonly z.output<typeof TlvRecord>[] | null | undefined): string | undefined =>
  records?.find(({ type }) => type === PREIMAGE_RECORD)?.value

const PaymentReply = z
  .object({
    preimage: z.string().regex(HEX_32),
    total_budget_currency_amount: positiveInteger.meta({
      description:
        'Smallest units of the budget currency, or of the payment’s own when none was named; fees included, rounded up',
    }),
  })
  .meta({ id: 'PaymentResponse' })

/** A quote without the sending currency, which depends on the VASP. */
export const QuoteFields = z.object({
  receiving_currency: ReceiverCurrency,
  payment_hash: z.string().regex(/^[0-9a-f]{64}$/),
  expires_at: z.int(),
  created_at: z.int(),
  multiplier: z
    .number()
    .positive()
    .meta({ description: 'Smallest units of the sending currency per smallest unit of the receiving currency' }),
  fees: z.int().min(0).meta({ description: 'Smallest units of the sending currency, a part of the total' }),
  total_sending_amount: positiveInteger.meta({ description: 'What the wallet will pay, fees included' }),
  total_receiving_amount: positiveInteger.meta({ description: 'What the receiver will get' }),
})

/** The schemas that name currencies, for a VASP with these codes; with any codes where the list is empty. */
export function createSchemas<Code extends string>(codes: readonly Code[]) {
  const anyCode = z.string().min(1).max(3) as unknown as z.ZodType<Code, Code>
  const code = (codes.length === 0 ? anyCode : z.enum(codes)).meta({
    id: 'CurrencyCode',
    description: 'ISO 4217 code, or SAT for bitcoin in whole satoshis',
    example: codes[0] ?? 'SAT',
  })
  const ownCurrency = currency.extend({ code }).meta({ id: 'Currency' })

  const CurrencyPreference = z
    .object({
      currency: ownCurrency,
      multiplier: z.number().positive().meta({ description: 'Millisatoshis per smallest unit' }),
      ...limits,
    })
    .meta({ id: 'CurrencyPreference' })

  const QuoteReply = z.object({ sending_currency: ownCurrency, ...QuoteFields.shape }).meta({ id: 'Quote' })

  const PayKeysendBody = z
    .object({
      amount: msatsInput,
      pubkey: z
        .string()
        .regex(/^0[23][0-9a-fA-F]{64}$/)
        .transform((key) => key.toLowerCase())
        .meta({ description: 'Public key of the node, 33 bytes compressed, hex' }),
      preimage: hex32
        .nullish()
        .meta({ description: 'Read from record 5482373484 when absent, or created by the VASP' }),
      tlv_records: z
        .array(TlvRecord)
        .max(64)
        .refine((records) => records.reduce((sum, { value }) => sum + value.length / 2, 0) <= MAX_RECORDS_BYTES)
        .refine((records) => new Set(records.map(({ type }) => type)).size === records.length)
        .nullish()
        .meta({ description: `Each type once, ${MAX_RECORDS_BYTES} bytes in total at most` }),
      budget_currency_code: code.nullish(),
    })
    .refine(
      ({ tlv_records: records, preimage }) => {
        const carried = preimageIn(records)
        return carried === undefined || (carried.length === 64 && carried === (preimage ?? carried))
      },
      { path: ['tlv_records'] },
    )
    .transform(({ tlv_records: records, preimage, ...body }) => ({
      ...body,
      preimage: preimage ?? preimageIn(records),
      records: (records ?? []).filter(({ type }) => type !== PREIMAGE_RECORD),
    }))
    .meta({ id: 'PayKeysendRequest' })

  return {
    CurrencyPreference,
    InfoReply: z
      .object({
        alias: z.string(),
        color: z.string().regex(/^#[0-9A-F]{6}$/i),
        pubkey: z.string().meta({ description: "The Lightning node's public key, hex" }),
        network: z.enum(['mainnet', 'testnet', 'signet', 'regtest']),
        methods: z.array(z.string()).meta({ description: 'The commands this VASP implements' }),
        lud16: z
          .string()
          .optional()
          .meta({ description: "The user's UMA address", example: `$alice@${EXAMPLE_DOMAIN}` }),
        currencies: z
          .array(CurrencyPreference)
          .min(1)
          .meta({ description: "In order of preference: the first is the user's default" }),
      })
      .meta({ id: 'GetInfoResponse' }),
    BudgetEstimateQuery: z.object({
      sending_currency_code: code,
      sending_currency_amount: amountDigits.meta({
        override: { type: 'integer', minimum: 1 },
        description: 'Smallest units of the sending currency',
      }),
      budget_currency_code: code,
    }),
    BudgetEstimateReply: z
      .object({
        estimated_budget_currency_amount: positiveInteger.meta({
          description:
            'Smallest units of the budget currency, at least 1: the most that a payment of this amount can take from the wallet that pays it, including the maximum fee',
        }),
      })
      .meta({ id: 'BudgetEstimateResponse' }),
    BalanceQuery: z.object({ currency_code: code.optional() }),
    BalanceReply: z
      .object({
        balance: z.int().min(0).meta({ description: 'Smallest units of `currency`; millisatoshis when there is none' }),
        currency: ownCurrency.optional(),
      })
      .meta({ id: 'GetBalanceResponse' }),
    MakeInvoiceBody,
    TransactionReply,
    TransactionsQuery,
    TransactionsReply,
    PayInvoiceBody: z
      .object({
        invoice: z.string().min(1).max(4_000),
        amount: msatsInput.nullish().meta({ description: 'Millisatoshis, for invoices without an amount' }),
        budget_currency_code: code.nullish(),
      })
      .meta({ id: 'PayInvoiceRequest' }),
    PayKeysendBody,
    PaymentReply,
    LookupUserQuery: z.object({
      base_sending_currency_code: code.optional().meta({
        description: 'Multipliers are in smallest units of this currency; in millisatoshis when absent',
      }),
    }),
    LookupUserReply,
    FetchQuoteQuery: z.object({
      sending_currency_code: code,
      receiving_currency_code: receivingCode,
      locked_currency_amount: amountDigits.meta({
        override: { type: 'integer', minimum: 1 },
        description: 'Smallest units of the locked side’s currency',
      }),
      locked_currency_side: z.enum(['sending', 'receiving']),
      receiver_address: receiverAddress,
    }),
    QuoteReply,
    ExecuteQuoteBody: z.object({ budget_currency_code: code.nullish() }).meta({ id: 'ExecuteQuoteRequest' }),
    PayToAddressBody: z
      .object({
        receiver_address: receiverAddress,
        sending_currency_code: code,
        sending_currency_amount: positiveInteger.meta({ description: 'Smallest units, fees included' }),
        receiving_currency_code: receivingCode.nullish().meta({ description: 'The receiver’s first when absent' }),
        budget_currency_code: code.nullish(),
      })
      .meta({ id: 'PayToAddressRequest' }),
    PayToAddressReply: PaymentReply.extend({ quote: QuoteReply }).meta({ id: 'PayToAddressResponse' }),
  }
}
