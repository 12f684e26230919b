import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { LightningNode, OutgoingPayment, TlvRecord, TrackOutcome } from '@/lib/lightning/node'

/** What happens to the next payments. */
export type Journey = 'arrives' | 'is refused' | 'fails without an answer' | 'loses its answer' | 'is held'

/** A node with its network: a node to pay, and a node that pays. */
export interface NodeUnderTest {
  /** The paying node. `restartSender` replaces it. */
  sender(): LightningNode
  /** The node that is paid. It may be the same node. */
  receiver(): LightningNode
  readonly remoteKey: string
  /** An invoice of the remote node. */
  invoice(
    amountMsats?: bigint,
    expirySeconds?: number,
  ): Promise<{ readonly invoice: string; readonly paymentHash: string }>
  /** The records that the remote node requires in a keysend. */
  readonly records: readonly TlvRecord[]
  journey(kind: Journey): void | Promise<void>
  /** The payment has left the sender and is held on its way. */
  isHeld(paymentHash: string): boolean
  /** Lets a held payment continue. */
  release(paymentHash: string): Promise<void>
  /** How often the money of this hash reached the remote node. */
  arrivals(paymentHash: string): Promise<number>
  /** Replaces the process of the sender; its memory is lost. */
  restartSender(): Promise<void>
  /** An invoice of the receiver, known to its VASP. */
  ownInvoice(amountMsats: bigint): Promise<{ readonly invoice: string; readonly paymentHash: string }>
  /** Returns false when the payment is refused. */
  payFromOutside(own: { readonly invoice: string; readonly paymentHash: string }, amountMsats: bigint): Promise<boolean>
  /** Settles an invoice inside the VASP. */
  settleInside(paymentHash: string): Promise<void>
}

const AMOUNT = 25_000n
let lastSendId = 9_000_000n

export const hashOf = (preimage: string): string =>
  createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')

/** The same payment with another id. */
export const again = (payment: OutgoingPayment): OutgoingPayment => ({ ...payment, sendId: newId() })
const newId = (): bigint => (lastSendId += 1n)

/** A payment of a new invoice of the remote node; `any` creates it without an amount. */
export async function paymentOf(
  world: NodeUnderTest,
  over: Partial<OutgoingPayment> = {},
  asked: 'one amount' | 'any' = 'one amount',
): Promise<OutgoingPayment> {
  const { invoice, paymentHash } = await world.invoice(asked === 'any' ? undefined : AMOUNT)
  const account = world.sender().accountFor(world.remoteKey)
  if (account === undefined) throw new Error('there is no route to the remote node')
  const common = { sendId: newId(), paymentHash, account, payee: world.remoteKey, feeLimitMsats: 10_000n }
  return { ...common, amountMsats: AMOUNT, what: { kind: 'invoice', invoice }, ...over }
}

export async function keysendOf(
  world: NodeUnderTest,
  over: Partial<OutgoingPayment> = {},
): Promise<OutgoingPayment & { readonly preimage: string }> {
  const preimage = randomBytes(32).toString('hex')
  const what = { kind: 'keysend', preimage, records: world.records } as const
  return { ...(await paymentOf(world)), paymentHash: hashOf(preimage), what, ...over, preimage }
}

/** The outcome, once the node reports it. */
export async function endOf(world: NodeUnderTest, asked: OutgoingPayment): Promise<TrackOutcome> {
  let outcome: TrackOutcome = { kind: 'unknown' }
  const kind = async (): Promise<string> => (outcome = await world.sender().track(asked)).kind
  await expect.poll(kind, { interval: 10 }).not.toBe('unknown')
  return outcome
}
