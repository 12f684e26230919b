import { z } from 'zod'
import { ALL_BITCOIN_MSATS } from '../../money/limits'
import type { LndChannel, LndInfo, LndInvoice, LndPayment } from './lnd'

// LND's REST answers (v0.20): int64 as decimal strings, bytes as base64 and in a few places as hex, every field present.

/** The largest number that the database stores. */
const MAX_INT64 = 2n ** 63n - 1n

const Uint64 = z
  .union([z.string().regex(/^\d{1,20}$/), z.int().min(0)])
  .transform(BigInt)
  .refine((value) => value <= MAX_INT64)
const Msats = Uint64.refine((value) => value <= ALL_BITCOIN_MSATS)
const Hex32 = z.string().regex(/^[0-9a-f]{64}$/)
const Bytes = z
  .string()
  .regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
  .transform((text) => Buffer.from(text, 'base64').toString('hex'))
const Bytes32 = Bytes.pipe(Hex32)

export const Nothing = z.object({})

export const Info = z
  .object({
    identity_pubkey: z.string().regex(/^0[23][0-9a-f]{64}$/),
    chains: z.array(z.object({ network: z.string().max(40) })).min(1),
    synced_to_chain: z.boolean().default(false),
  })
  .transform(({ identity_pubkey: publicKeyHex, chains: [chain], synced_to_chain: isSynced }): LndInfo => ({
    publicKeyHex,
    network: chain?.network ?? '',
    isSynced,
  }))

const Sats = Uint64.refine((value) => value <= ALL_BITCOIN_MSATS / 1_000n).transform(Number)
const ChannelId = z.string().regex(/^\d{1,20}$/)
const Constraints = z.object({ chan_reserve_sat: Sats })
const Channel = z
  .object({
    chan_id: ChannelId,
    active: z.boolean(),
    local_balance: Sats,
    remote_balance: Sats,
    local_constraints: Constraints,
    remote_constraints: Constraints,
    pending_htlcs: z.array(z.object({ incoming: z.boolean(), hash_lock: Bytes32 })).default([]),
  })
  .transform((raw): LndChannel => {
    const hashes = (isIncoming: boolean): string[] =>
      raw.pending_htlcs.filter(({ incoming }) => incoming === isIncoming).map(({ hash_lock }) => hash_lock)
    return {
      id: raw.chan_id,
      isActive: raw.active,
      outboundSats: Math.max(0, raw.local_balance - raw.local_constraints.chan_reserve_sat),
      inboundSats: Math.max(0, raw.remote_balance - raw.remote_constraints.chan_reserve_sat),
      outgoing: hashes(false),
      incoming: hashes(true),
    }
  })
export const Channels = z.object({ channels: z.array(Channel) })

export const AddedInvoice = z.object({ payment_request: z.string().min(1).max(10_000) })

/** The preimage of a keysend travels as a record too (bLIP-3). */
export const PREIMAGE_RECORD = 5_482_373_484

const Htlc = z.object({
  state: z.string(),
  amt_msat: Msats,
  custom_records: z.record(z.string().regex(/^\d{1,20}$/), Bytes).default({}),
})

export const Invoice = z
  .object({
    r_hash: Bytes32,
    // Empty for a hold invoice that was not settled.
    r_preimage: Bytes,
    state: z.enum(['OPEN', 'ACCEPTED', 'SETTLED', 'CANCELED']),
    settle_index: Uint64,
    amt_paid_msat: Msats,
    is_keysend: z.boolean().default(false),
    htlcs: z.array(Htlc).default([]),
  })
  .transform((raw): LndInvoice => {
    const records = raw.htlcs.map(({ custom_records }) => custom_records).find((each) => Object.keys(each).length > 0)
    return {
      paymentHash: raw.r_hash,
      preimage: raw.r_preimage,
      state: raw.state,
      settleIndex: raw.settle_index,
      amountPaidMsat: raw.amt_paid_msat,
      heldMsat: raw.htlcs.filter(({ state }) => state === 'ACCEPTED').reduce((sum, { amt_msat }) => sum + amt_msat, 0n),
      isKeysend: raw.is_keysend,
      // Types beyond 2^53 name no user and no text, and JSON cannot carry them as numbers.
      records: Object.entries(records ?? {})
        .map(([type, value]) => ({ type: Number(type), value }))
        .filter(({ type }) => Number.isSafeInteger(type) && type !== PREIMAGE_RECORD),
    }
  })

export const InvoicePage = z.object({ invoices: z.array(Invoice), last_index_offset: Uint64 })

export const Routes = z.object({ routes: z.array(z.object({ total_fees_msat: Msats })).min(1) })

const Attempt = z.object({
  status: z.string(),
  route: z.object({ hops: z.tuple([z.object({ chan_id: ChannelId })], z.unknown()) }),
})
export const Payment = z
  .object({
    payment_hash: Hex32,
    payment_index: Uint64,
    // Every other word, known or not, means that the payment may still succeed.
    status: z
      .string()
      .transform((word): LndPayment['status'] => (word === 'SUCCEEDED' || word === 'FAILED' ? word : 'IN_FLIGHT')),
    failure_reason: z.string().max(100).default(''),
    payment_preimage: z.string().max(64).default(''),
    fee_msat: Msats,
    // For an operator only: never a reason not to read an outcome. Unknown, the payment is not stranded.
    creation_date: Uint64.transform(Number).catch(Number.MAX_SAFE_INTEGER),
    htlcs: z.array(Attempt).catch([]),
  })
  .transform((raw): LndPayment & { readonly paymentHash: string } => ({
    paymentHash: raw.payment_hash,
    paymentIndex: raw.payment_index,
    status: raw.status,
    failureReason: raw.failure_reason,
    preimage: raw.payment_preimage,
    feeMsat: raw.fee_msat,
    begunAtSeconds: raw.creation_date,
    leftThrough: raw.htlcs.filter(({ status }) => status === 'IN_FLIGHT').map(({ route: { hops } }) => hops[0].chan_id),
  }))

/** An error: alone in an answer, or inside a line of a stream. */
const Problem = z.object({ code: z.int(), message: z.string() })
export const ErrorAnswer = z.union([Problem, z.object({ error: Problem }).transform(({ error }) => error)])
export const StreamLine = z.union([z.object({ result: z.unknown() }), z.object({ error: Problem })])

/** Standard base64, as in bodies. */
export function base64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}

/** For paths. LND requires the padding. */
export function base64url(hex: string): string {
  return base64(hex).replaceAll('+', '-').replaceAll('/', '_')
}
