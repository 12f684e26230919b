import { z } from 'zod'
import { CURRENCY_CODES } from '../money/currencies'

/** The shapes on the wire, spelled as the protocol spells them. Routes, replies and /openapi.json all come from here. */

const positiveInteger = z.int().min(1)

export const CurrencyCodeSchema = z
  .enum(CURRENCY_CODES)
  .meta({ description: 'ISO 4217 code, or SAT for bitcoin in whole satoshis', example: 'USD' })

/**
 * An integer in a query string. Only plain digits: no sign, exponent, blank or other scripts' digits, and never more than
 * JSON readers keep exact (2^53 - 1).
 */
export const AmountQuerySchema = z
  .string()
  .regex(/^[1-9][0-9]{0,15}$/, { abort: true })
  .refine((digits) => BigInt(digits) <= BigInt(Number.MAX_SAFE_INTEGER))
  .transform((digits) => BigInt(digits))

export const CurrencySchema = z
  .object({
    code: CurrencyCodeSchema,
    symbol: z.string(),
    name: z.string(),
    decimals: z.int().min(0).meta({ description: 'Digits of the smallest unit' }),
  })
  .meta({ id: 'Currency' })

export const CurrencyPreferenceSchema = z
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
    lud16: z.string().meta({ description: "The user's UMA address", example: '$alice@localhost:3000' }),
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
      description: 'Smallest units of the budget currency, rounded up, at least 1',
    }),
  })
  .meta({ id: 'BudgetEstimateResponse' })

export const ErrorReply = z
  .object({
    code: z.enum([
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
    ]),
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
