import { z } from 'zod'

/** Budgets as the public gateway keeps them, in smallest units of the connection's currency. Pure functions. */

export const FREQUENCIES = ['none', 'daily', 'weekly', 'monthly', 'yearly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

const DAY_SECONDS = 86_400
const LENGTHS: Readonly<Record<Exclude<Frequency, 'none'>, number>> = {
  daily: DAY_SECONDS,
  weekly: 7 * DAY_SECONDS,
  monthly: 30 * DAY_SECONDS,
  yearly: 365 * DAY_SECONDS,
}

export const Limit = z.object({ amount: z.number(), frequency: z.enum(FREQUENCIES), startSeconds: z.number() })
export type Limit = Readonly<z.output<typeof Limit>>

/** One cycle of a budget. Cycles follow each other from the creation of the limit, not by the calendar. */
export const Cycle = z.object({
  startSeconds: z.number(),
  /** Null: it never ends. */
  endSeconds: z.number().nullable(),
  spent: z.number(),
  held: z.number(),
})
export type Cycle = Readonly<z.output<typeof Cycle>>

/** The empty cycle that contains a moment. */
export function cycleAt(limit: Limit, nowSeconds: number): Cycle {
  if (limit.frequency === 'none') return { startSeconds: limit.startSeconds, endSeconds: null, spent: 0, held: 0 }
  const length = LENGTHS[limit.frequency]
  const startSeconds = limit.startSeconds + Math.floor((nowSeconds - limit.startSeconds) / length) * length
  return { startSeconds, endSeconds: startSeconds + length, spent: 0, held: 0 }
}

/** The amount that can still be held or spent; never negative, though a settlement may exceed its hold. */
export function leftOf(limit: Limit, cycle: Cycle): number {
  return Math.max(0, limit.amount - cycle.spent - cycle.held)
}

/** A decimal factor as an exact ratio: 1.1 is 11/10. */
export interface Buffer {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** @throws Error for anything but a decimal number of at least 1. */
export function parseBuffer(text: string): Buffer {
  const match = /^(\d{1,3})(?:\.(\d{1,6}))?$/.exec(text)
  if (match === null) throw new Error('not a decimal number')
  const [, whole = '', rest = ''] = match
  const buffer = { numerator: BigInt(whole + rest), denominator: 10n ** BigInt(rest.length) }
  if (buffer.numerator < buffer.denominator) throw new Error('less than 1')
  return buffer
}

/** hold = ceil(estimate × buffer) */
export function holdOf(estimate: number, buffer: Buffer): number {
  return Number((BigInt(estimate) * buffer.numerator + buffer.denominator - 1n) / buffer.denominator)
}

export interface AskedBudget {
  readonly amount: number
  readonly currencyCode: string
  readonly frequency: Frequency
}

/**
 * `5000.USD/weekly`: smallest units, then optionally the currency and the period. Without a currency the amount is in
 * satoshis (UMADE-01). Undefined when it cannot be read.
 */
export function parseBudget(text: string): AskedBudget | undefined {
  const match = /^(\d{1,15})(?:\.(\w{3}))?(?:\/(\w+))?$/.exec(text)
  if (match === null) return undefined
  const [, digits = '', currencyCode = 'SAT', period = 'none'] = match
  const frequency = FREQUENCIES.find((each) => each === period.toLowerCase())
  return frequency === undefined
    ? undefined
    : { amount: Number(digits), currencyCode: currencyCode.toUpperCase(), frequency }
}

/** The budget as the token response spells it; no period for one that never renews. */
export function budgetText(limit: Limit | null, currencyCode: string): string | null {
  if (limit === null) return null
  return `${limit.amount}.${currencyCode}${limit.frequency === 'none' ? '' : `/${limit.frequency}`}`
}
