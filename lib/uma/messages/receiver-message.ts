import { z } from 'zod'
import type { ReceiverCurrency } from '../client/types'
import { readMultiplier } from './multiplier'
import { optional } from './unset'

/**
 * Text from another VASP that users read: short, on one line, and without characters that change the direction of text.
 */
const shown = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[^\p{Cc}\p{Cs}\p{Bidi_Control}]+$/u)
const units = z.int().nonnegative()
/** The currency codes that a gateway can store. */
const currencyCode = z.string().regex(/^[A-Z0-9]{3}$/)
/** A limit that means "no limit" may exceed what JSON numbers hold exactly, so it is clipped. */
const clippedUnits = z
  .number()
  .nonnegative()
  .refine(Number.isInteger)
  .transform((value) => Math.min(value, Number.MAX_SAFE_INTEGER))

const CurrencyMessage = z.object({
  code: currencyCode,
  name: shown(100),
  symbol: z
    .string()
    .max(10)
    .regex(/^[^\p{Cc}\p{Cs}\p{Bidi_Control}]*$/u),
  multiplier: z.number().refine((value) => readMultiplier(value) !== undefined),
  decimals: z.int().min(0).max(8),
  convertible: optional(z.object({ min: units, max: clippedUnits })),
  minSendable: optional(units),
  maxSendable: optional(clippedUnits),
})
const MAX_CURRENCIES = 200

const options = z.record(z.string().max(100), z.object({ mandatory: z.boolean() }))

/**
 * The tags of LNURL's other services. A payment is known by its fields, not by its tag: the Go SDK writes
 * `protocol.PayRequest`, and no signature covers the tag.
 */
const OTHER_TAGS = new Set(['withdrawrequest', 'channelrequest', 'hostedchannelrequest', 'login'])
const payTag = z.unknown().refine((tag) => !(typeof tag === 'string' && OTHER_TAGS.has(tag.toLowerCase())))

const PlainMessage = z.object({
  tag: payTag,
  callback: z.string().max(2_048),
  minSendable: units,
  maxSendable: clippedUnits,
  metadata: z.string(),
  commentAllowed: optional(z.int().nonnegative()),
})

const UmaMessage = PlainMessage.extend({
  umaVersion: z.string().regex(/^\d{1,3}\.\d{1,3}$/),
  compliance: z.object({
    kycStatus: z.string(),
    isSubjectToTravelRule: z.boolean(),
    receiverIdentifier: z.string().max(320),
    signature: z.string().regex(/^[0-9a-f]{16,200}$/i),
    signatureNonce: z.string().min(1).max(64),
    signatureTimestamp: z.number(),
  }),
  payerData: optional(options),
  currencies: optional(z.array(z.unknown()).max(MAX_CURRENCIES)),
})

export type PlainLookUp = z.infer<typeof PlainMessage>

export interface UmaLookUp extends Omit<z.infer<typeof UmaMessage>, 'currencies' | 'payerData'> {
  readonly payerData: Readonly<Record<string, { readonly mandatory: boolean }>>
  readonly major: 0 | 1
  readonly currencies: readonly ReceiverCurrency[]
  /** Codes of the receiver's other currencies. */
  readonly leftOut: readonly string[]
}

/** The answer to a plain lookup (LUD-06); undefined for any other answer. */
export function readPlainLookUp(json: unknown): PlainLookUp | undefined {
  const message = PlainMessage.safeParse(json).data
  return message !== undefined && inOrder(message.minSendable, message.maxSendable) ? message : undefined
}

/** Whether an answer to a UMA lookup comes from a VASP that supports plain LNURL only. */
export function isPlainLookUp(json: unknown): boolean {
  const isUma = typeof json === 'object' && json !== null && ('umaVersion' in json || 'compliance' in json)
  return !isUma && readPlainLookUp(json) !== undefined
}

/**
 * The answer to a UMA lookup (UMAD-04) of either version. Undefined when the answer is malformed or names a
 * currency twice. Currencies that cannot be read, that are for display only, or whose codes a gateway cannot store are
 * left out, so the list may be empty.
 */
export function readUmaLookUp(json: unknown): UmaLookUp | undefined {
  const message = UmaMessage.safeParse(json).data
  const major = message === undefined ? undefined : ({ 0: 0, 1: 1 } as const)[message.umaVersion.split('.')[0] ?? '']
  if (message === undefined || major === undefined || !inOrder(message.minSendable, message.maxSendable))
    return undefined
  const currencies: ReceiverCurrency[] = []
  const leftOut: string[] = []
  for (const given of message.currencies ?? []) {
    const read = readCurrency(given, major)
    if (read === undefined) leftOut.push(...codeIn(given))
    else currencies.push(read)
  }
  const codes = currencies.map(({ code }) => code)
  return new Set(codes).size === codes.length
    ? { ...message, payerData: message.payerData ?? {}, major, currencies, leftOut }
    : undefined
}

function readCurrency(given: unknown, major: 0 | 1): ReceiverCurrency | undefined {
  const each = CurrencyMessage.safeParse(given).data
  if (each === undefined) return undefined
  const { code, name, symbol, multiplier: msatsPerUnit, decimals } = each
  const [min, max] = major === 1 ? [each.convertible?.min, each.convertible?.max] : [each.minSendable, each.maxSendable]
  if (min == null || max == null || !inOrder(min, max)) return undefined
  return { code, name, symbol, msatsPerUnit, decimals, min: BigInt(min), max: BigInt(max) }
}

/** The code of a currency that is left out, if it can be shown. */
function codeIn(given: unknown): string[] {
  const code = z.object({ code: z.string().regex(/^[\w.-]{1,20}$/) }).safeParse(given).data?.code
  return code === undefined ? [] : [code]
}

function inOrder(least: number, most: number): boolean {
  return least <= most && most > 0
}
