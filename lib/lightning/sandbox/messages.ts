import { z } from 'zod'
import { ALL_BITCOIN_MSATS } from '../../money/limits'
import { FAILURES } from '../node'

export const PATHS = {
  pay: '/sandbox-ln/v1/pay',
  track: '/sandbox-ln/v1/track',
  statement: '/sandbox-ln/v1/statement',
} as const
export type Action = keyof typeof PATHS

/** Longer than any answer may take (`wire-client.ts`): a request that comes after that long is of no use to its payer. */
export const DEADLINE_MS = 30_000
/**
 * How far the clocks of two nodes may be apart: a timestamp is taken so far from ours on either side, and a deadline is over
 * so long after what it says.
 */
export const CLOCK_SKEW_MS = 120_000
export const MAX_REQUEST_BYTES = 16 * 1024
export const MAX_ANSWER_BYTES = 8 * 1024

/** The last millisecond of the year 9999. */
const LAST_MOMENT = 253_402_300_799_999

const Hex32 = z.string().regex(/^[0-9a-f]{64}$/)
/** The payer's name for this try, which nobody else reads. */
const Attempt = z.string().regex(/^[\w-]{1,64}$/)

/** Asks what became of a payment, and ends it if it never arrived. */
export const TrackMessage = z.object({ payment_hash: Hex32, attempt: Attempt })
export type TrackMessage = z.infer<typeof TrackMessage>

const TlvRecord = z.object({
  type: z.int().min(0),
  value: z.string().regex(/^([0-9a-f]{2})*$/),
})

/** Pays an invoice, or a user by keysend: one of the two. */
export const PayMessage = TrackMessage.extend({
  amount_msats: z
    .string()
    .regex(/^[1-9]\d{0,18}$/)
    .transform(BigInt)
    .refine((amount) => amount <= ALL_BITCOIN_MSATS),
  /** Milliseconds since 1970; the payee's database decides whether they are over. */
  deadline: z.int().min(0).max(LAST_MOMENT),
  invoice: z.string().min(1).max(2_000).optional(),
  keysend: z
    .object({
      preimage: Hex32,
      // As much as the API takes: what a payer's node sends is kept for ever.
      records: z
        .array(TlvRecord)
        .max(64)
        .refine((records) => records.reduce((sum, { value }) => sum + value.length / 2, 0) <= 1_200),
    })
    .optional(),
}).refine(({ invoice, keysend }) => (invoice === undefined) !== (keysend === undefined))
export type PayMessage = z.infer<typeof PayMessage>

/**
 * The payee's final word. A refusal is final whatever its reason, so that a word that a later version of the payee knows
 * and we do not ends the payment all the same.
 */
export const PeerAnswer = z.discriminatedUnion('state', [
  z.object({ state: z.literal('received'), preimage: Hex32 }),
  z.object({ state: z.literal('refused'), failure: z.enum(FAILURES).catch('unknown') }),
])
export type PeerAnswer = z.infer<typeof PeerAnswer>

const Total = z
  .string()
  .regex(/^\d{1,30}$/)
  .transform(BigInt)

/** What the peer has received from us and sent to us in all, in msats, by its own records. */
export const PeerStatement = z.object({ received_msats: Total, sent_msats: Total })
export type PeerStatement = z.infer<typeof PeerStatement>
