import { z } from 'zod'
import { parseJson } from '../../platform/parse-json'
import { isVisibleLine } from '../../platform/visible-text'
import type { ReceiverCurrency } from '../types'
import { readMultiplier } from './multiplier'
import { optional } from './unset'

/**
 * Text from another VASP that users read: on one line, visible and not too long. Any other text counts as absent.
 */
const shown = (longest: number) =>
  z.string().trim().min(1).max(longest).refine(isVisibleLine).optional().catch(undefined)
const MAX_NAME_LENGTH = 100
const MAX_SYMBOL_LENGTH = 10

/** The name and symbol of another VASP's currency. A currency without a usable name or symbol is shown by its code. */
export function shownNames(currency: { readonly code: string; readonly name: unknown; readonly symbol: unknown }): {
  readonly name: string
  readonly symbol: string
} {
  const { code, name, symbol } = currency
  const isBlank = symbol === undefined || symbol === null || symbol === ''
  return {
    name: shown(MAX_NAME_LENGTH).parse(name) ?? code,
    symbol: isBlank ? '' : (shown(MAX_SYMBOL_LENGTH).parse(symbol) ?? code),
  }
}

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
  name: z.unknown().optional(),
  symbol: z.unknown().optional(),
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
const payTag = z
  .unknown()
  .optional()
  .refine((tag) => !(typeof tag === 'string' && OTHER_TAGS.has(tag.toLowerCase())))

/** LUD-06: the largest picture in the metadata, as base64 (100 kB). */
const MAX_CONTENT_LENGTH = 136_536

/**
 * The one rule for the size of metadata: no text in an entry is longer than LUD-06 permits for a picture. Each entry has
 * the whole limit, so a description never makes a picture too large. The answer itself has at most `MAX_LOOKUP_BYTES`.
 */
function isMetadataSize(metadata: string): boolean {
  const items = parseJson(metadata)
  const contents: unknown[] = Array.isArray(items) ? items.flat() : [metadata]
  return contents.every((content) => typeof content !== 'string' || content.length <= MAX_CONTENT_LENGTH)
}

/** Whether an answer is a payment whose metadata is too large. */
export function hasLargeMetadata(json: unknown): boolean {
  const { metadata } = (typeof json === 'object' && json !== null ? json : {}) as { metadata?: unknown }
  return typeof metadata === 'string' && !isMetadataSize(metadata)
}

const PlainMessage = z.object({
  tag: payTag,
  callback: z.string().max(2_048),
  minSendable: units,
  maxSendable: clippedUnits,
  metadata: z.string().refine(isMetadataSize),
  // Only a number of characters permits a comment.
  commentAllowed: z.int().nonnegative().optional().catch(undefined),
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
 * The answer to a UMA lookup (UMAD-04) of either version. The members that are present decide how it is read, not its version. Undefined when the answer is malformed or names a
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
    const read = readCurrency(given)
    if (read === undefined) leftOut.push(...codeIn(given))
    else currencies.push(read)
  }
  const codes = currencies.map(({ code }) => code)
  return new Set(codes).size === codes.length
    ? { ...message, payerData: message.payerData ?? {}, major, currencies, leftOut }
    : undefined
}

function readCurrency(given: unknown): ReceiverCurrency | undefined {
  const each = CurrencyMessage.safeParse(given).data
  if (each === undefined) return undefined
  const { code, multiplier: msatsPerUnit, decimals } = each
  // Some VASPs of version 1 write the limits of version 0, and the other way round.
  // A `convertible` of zeros is how some languages write one that is not set.
  const { convertible } = each
  const { min, max } =
    convertible !== undefined && convertible.max > 0 ? convertible : { min: each.minSendable, max: each.maxSendable }
  if (min === undefined || max === undefined || !inOrder(min, max)) return undefined
  return {
    code,
    ...shownNames({ code, name: each.name, symbol: each.symbol }),
    msatsPerUnit,
    decimals,
    min: BigInt(min),
    max: BigInt(max),
  }
}

/** The code of a currency that is left out, if it can be shown. */
function codeIn(given: unknown): string[] {
  const code = z.object({ code: z.string().regex(/^[\w.-]{1,20}$/) }).safeParse(given).data?.code
  return code === undefined ? [] : [code]
}

function inOrder(least: number, most: number): boolean {
  return least <= most && most > 0
}
