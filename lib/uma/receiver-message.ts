import { z } from 'zod'
import type { ReceiverCurrency } from './counterparty'
import { readMultiplier } from './multiplier'

/** Text of another VASP that people will read: not long, on one line, and nothing that turns letters around. */
const shown = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[^\p{Cc}\p{Cs}\p{Bidi_Control}]+$/u)
/** What a gateway's tables hold. */
const CODE = /^[A-Z0-9]{3}$/
const units = z.int().nonnegative()

const CurrencyMessage = z.object({
  code: z.string().regex(/^[A-Z0-9]{2,8}$/),
  name: shown(100),
  symbol: z
    .string()
    .max(10)
    .regex(/^[^\p{Cc}\p{Cs}\p{Bidi_Control}]*$/u),
  multiplier: z.number().refine((value) => readMultiplier(value) !== undefined),
  decimals: z.int().min(0).max(8),
  convertible: z.object({ min: units, max: units }).nullish(),
  minSendable: units.nullish(),
  maxSendable: units.nullish(),
})
const MOST_CURRENCIES = 200

const options = z.record(z.string().max(100), z.object({ mandatory: z.boolean() }))

const PlainMessage = z.object({
  tag: z.literal('payRequest'),
  callback: z.string().max(2_048),
  minSendable: units,
  maxSendable: units,
  metadata: z.string(),
  commentAllowed: z.int().nonnegative().nullish(),
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
  payerData: options,
  currencies: z.array(z.unknown()).min(1).max(MOST_CURRENCIES),
})

export type PlainLookUp = z.infer<typeof PlainMessage>

export interface UmaLookUp extends Omit<z.infer<typeof UmaMessage>, 'currencies'> {
  readonly major: 0 | 1
  readonly currencies: readonly ReceiverCurrency[]
}

/** The answer to a plain look-up (LUD-06); undefined when it is none. */
export function readPlainLookUp(json: unknown): PlainLookUp | undefined {
  const message = PlainMessage.safeParse(json).data
  return message !== undefined && inOrder(message.minSendable, message.maxSendable) ? message : undefined
}

/**
 * The answer to a UMA look-up (UMAD-04), of either version; undefined when anything in it is odd. Currencies that are only
 * shown and cannot be converted to, and those whose codes are longer than apps can carry, are left out.
 */
export function readUmaLookUp(json: unknown): UmaLookUp | undefined {
  const message = UmaMessage.safeParse(json).data
  const major = message === undefined ? undefined : ({ 0: 0, 1: 1 } as const)[message.umaVersion.split('.')[0] ?? '']
  if (message === undefined || major === undefined || !inOrder(message.minSendable, message.maxSendable))
    return undefined
  const all = message.currencies.map((each) => CurrencyMessage.safeParse(each).data)
  const read: ReceiverCurrency[] = []
  for (const each of all) {
    if (each === undefined) return undefined
    const { code, name, symbol, multiplier: msatsPerUnit, decimals } = each
    const [min, max] =
      major === 1
        ? [each.convertible?.min, each.convertible?.max]
        : [each.minSendable ?? undefined, each.maxSendable ?? undefined]
    if (min === undefined || max === undefined) continue
    if (!inOrder(min, max)) return undefined
    if (CODE.test(code)) read.push({ code, name, symbol, msatsPerUnit, decimals, min: BigInt(min), max: BigInt(max) })
  }
  const codes = all.map((each) => each?.code)
  return new Set(codes).size === codes.length && read.length > 0 ? { ...message, major, currencies: read } : undefined
}

function inOrder(least: number, most: number): boolean {
  return least <= most && most > 0
}
