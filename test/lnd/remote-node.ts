import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { NetworkNode } from '../../sandbox/lnd/network'
import { hashOf } from '../lightning/node-under-test'

/** The node at the other end of the channel. It settles a payment of its invoices when the test lets it. */
export interface RemoteNode {
  /** Whether payments that arrive from now on wait for `release`. */
  holds: boolean
  invoice(amountMsats?: bigint, expirySeconds?: number): Promise<{ invoice: string; paymentHash: string }>
  isHeld(paymentHash: string): boolean
  release(paymentHash: string): Promise<void>
  /** How often this node received the money of the hash. */
  arrivals(paymentHash: string): Promise<number>
  /** Pays an invoice of another node. Returns false when it is refused. */
  pay(invoice: string): Promise<boolean>
  keysend(
    payee: string,
    preimage: string,
    amountMsats: bigint,
    records: Readonly<Record<string, string>>,
  ): Promise<boolean>
  close(): void
}

const LOOK_EVERY_MS = 10
const Invoice = z.object({
  state: z.enum(['OPEN', 'ACCEPTED', 'SETTLED', 'CANCELED']),
  htlcs: z.array(z.object({ state: z.string() })),
})
const Pending = z.object({ invoices: z.array(z.object({ state: z.string(), r_hash: z.string() })) })
const Payment = z.object({ result: z.object({ status: z.string() }).optional() })

export function makeRemoteNode(node: NetworkNode): RemoteNode {
  const preimages = new Map<string, string>()
  const held = new Set<string>()
  const closed = new AbortController()
  const stateOf = async (paymentHash: string): Promise<z.output<typeof Invoice>> =>
    Invoice.parse(await node.call(`/v1/invoice/${paymentHash}`))
  const settle = (paymentHash: string): Promise<unknown> =>
    node.call('/v2/invoices/settle', { preimage: base64(preimages.get(paymentHash) ?? '') })

  async function accepted(): Promise<string[]> {
    const { invoices } = Pending.parse(await node.call('/v1/invoices?pending_only=true&num_max_invoices=10000'))
    return invoices.flatMap(({ state, r_hash: hash }) =>
      state === 'ACCEPTED' ? [Buffer.from(hash, 'base64').toString('hex')] : [],
    )
  }

  async function watch(): Promise<void> {
    while (!closed.signal.aborted) {
      for (const paymentHash of await accepted().catch(() => [])) {
        if (held.has(paymentHash) || !preimages.has(paymentHash)) continue
        if (remote.holds) held.add(paymentHash)
        else await settle(paymentHash).catch(() => undefined)
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }

  async function pay(body: object): Promise<boolean> {
    const common = { timeout_seconds: 20, fee_limit_msat: '10000', no_inflight_updates: true }
    try {
      return Payment.parse(await node.call('/v2/router/send', { ...common, ...body })).result?.status === 'SUCCEEDED'
    } catch {
      return false
    }
  }

  const remote: RemoteNode = {
    holds: false,
    async invoice(amountMsats, expirySeconds = 600) {
      const preimage = randomBytes(32).toString('hex')
      const paymentHash = hashOf(preimage)
      preimages.set(paymentHash, preimage)
      const answer = await node.call('/v2/invoices/hodl', {
        hash: base64(paymentHash),
        value_msat: String(amountMsats ?? 0n),
        expiry: String(expirySeconds),
      })
      return { invoice: z.object({ payment_request: z.string() }).parse(answer).payment_request, paymentHash }
    },
    isHeld: (paymentHash) => held.has(paymentHash),
    async release(paymentHash) {
      held.delete(paymentHash)
      await settle(paymentHash)
    },
    async arrivals(paymentHash) {
      // A keysend has an invoice only once it has arrived.
      const invoice = await stateOf(paymentHash).catch(() => undefined)
      return invoice?.state === 'SETTLED' ? invoice.htlcs.filter(({ state }) => state === 'SETTLED').length : 0
    },
    pay: (invoice) => pay({ payment_request: invoice }),
    keysend: (payee, preimage, amountMsats, records) =>
      pay({
        dest: base64(payee),
        amt_msat: String(amountMsats),
        payment_hash: base64(hashOf(preimage)),
        dest_features: ['TLV_ONION_REQ'],
        dest_custom_records: Object.fromEntries(
          Object.entries({ '5482373484': preimage, ...records }).map(([type, hex]) => [type, base64(hex)]),
        ),
      }),
    close() {
      closed.abort()
    },
  }
  void watch()
  return remote
}

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')
