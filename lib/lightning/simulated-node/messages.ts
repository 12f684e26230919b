import { z } from 'zod'
import { ALL_BITCOIN_MSATS } from '../../money/limits'
import { FAILURES } from '../node'

export const PATHS = {
  pay: '/sandbox-ln/v1/pay',
  track: '/sandbox-ln/v1/track',
  statement: '/sandbox-ln/v1/statement',
} as const
export type Action = keyof typeof PATHS

/** Longer than any answer may take (`peer-client.ts`). A request that arrives later is useless to its payer. */
export const DEADLINE_MS = 30_000
/**
 * The maximum difference between the clocks of two nodes: a timestamp may differ this much from ours, and a deadline is
 * extended by as much.
 */
export const CLOCK_SKEW_MS = 120_000
export const MAX_REQUEST_BYTES = 16 * 1024
export const MAX_ANSWER_BYTES = 8 * 1024

/** The last millisecond of the year 9999. */
const LAST_MOMENT = 253_402_300_799_999

const Hex32 = z.string().regex(/^[0-9a-f]{64}$/)
/** The payer's id of this attempt, which other nodes do not interpret. */
const Attempt = z.string().regex(/^[\w-]{1,64}$/)

/** Asks for the outcome of a payment, and ends the payment if it never arrived. */
export const TrackMessage = z.object({ payment_hash: Hex32, attempt: Attempt })
export type TrackMessage = z.infer<typeof TrackMessage>

const TlvRecord = z.object({
  type: z.int().min(0),
  value: z.string().regex(/^([0-9a-f]{2})*$/),
})

/** Pays an invoice, or a user by keysend: exactly one of the two. */
export const PayMessage = TrackMessage.extend({
  amount_msats: z
    .string()
    .regex(/^[1-9]\d{0,18}$/)
    .transform(BigInt)
    .refine((amount) => amount <= ALL_BITCOIN_MSATS),
  /** Milliseconds since 1970. The payee's database decides whether it has passed. */
  deadline: z.int().min(0).max(LAST_MOMENT),
  invoice: z.string().min(1).max(2_000).optional(),
  keysend: z
    .object({
      preimage: Hex32,
      // The same limit as in the API: what a payer's node sends is stored forever.
      records: z
        .array(TlvRecord)
        .max(64)
        .refine((records) => records.reduce((sum, { value }) => sum + value.length / 2, 0) <= 1_200),
    })
    .optional(),
}).refine(({ invoice, keysend }) => (invoice === undefined) !== (keysend === undefined))
export type PayMessage = z.infer<typeof PayMessage>

/**
 * The payee's final answer. A refusal is final whatever its reason, so that a reason from a later version also ends the
 * payment.
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

/** The totals that the peer has received from us and sent to us, in msats, according to its own records. */
export const PeerStatement = z.object({ received_msats: Total, sent_msats: Total })
export type PeerStatement = z.infer<typeof PeerStatement>
