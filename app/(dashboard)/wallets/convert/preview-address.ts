import { z } from 'zod'
import { CURRENCY_CODES } from '@/lib/money/currencies'
import { epochSeconds, type Clock } from '@/lib/platform/clock'
import type { Settings } from '@/lib/platform/config'

/**
 * A price as its page and its form carry it. It needs no signature: a conversion is booked at the current rate or not at all, so
 * another `gives` is refused, and another time limit gains nothing.
 */
export const PriceFields = z.object({
  from: z.enum(CURRENCY_CODES),
  to: z.enum(CURRENCY_CODES),
  /** As text that a user could have typed. After an error it returns to the field. */
  amount: z.string(),
  /** Ledger units of `to`. */
  gives: z
    .string()
    .regex(/^[1-9]\d{0,18}$/)
    .transform(BigInt),
  /** Unix time at which the price expires. */
  until: z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number),
  /** Identifies the conversion, which is booked once. */
  id: z.string().regex(/^[0-9a-f-]{36}$/),
})

type Price = z.infer<typeof PriceFields>

interface Ports {
  readonly clock: Clock
  readonly settings: Pick<Settings, 'quoteSeconds'>
}

/** The page of a price that is valid from now on, as long as the price of a payment. */
export function previewAddress({ clock, settings }: Ports, price: Omit<Price, 'until'>, error?: string): string {
  const { from, to, amount, gives, id } = price
  const until = epochSeconds(clock.now()) + settings.quoteSeconds
  const fields = { from, to, amount, gives: `${gives}`, until: `${until}`, id }
  return `/wallets/convert?${new URLSearchParams({ ...fields, ...(error !== undefined && { error }) })}`
}

/** Whether a price has expired. A price that is valid for longer than this server's prices counts as expired. */
export function isExpired({ clock, settings }: Ports, { until }: Pick<Price, 'until'>): boolean {
  const left = until - epochSeconds(clock.now())
  return left <= 0 || left > settings.quoteSeconds
}
