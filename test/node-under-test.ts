import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { LightningNode, OutgoingPayment, TlvRecord, TrackOutcome } from '@/lib/lightning/node'

/** What happens to the following payments on their way. */
export type Journey = 'arrives' | 'is refused' | 'is refused unheard' | 'loses its answer' | 'is held'

/** A node with a world around it: somebody to pay, and somebody who pays. */
export interface NodeUnderTest {
  /** Pays. Another one after `restartSender`. */
  sender(): LightningNode
  /** Is paid from outside; the same node where one does both. */
  receiver(): LightningNode
  readonly remoteKey: string
  /** An invoice of the remote node. */
  invoice(
    amountMsats?: bigint,
    expirySeconds?: number,
  ): Promise<{ readonly invoice: string; readonly paymentHash: string }>
  /** Records that the remote node takes a keysend with. */
  readonly records: readonly TlvRecord[]
  journey(kind: Journey): void
  /** Lets what is held go on. */
  release(paymentHash: string): Promise<void>
  /** How often the money of this hash reached the remote node. */
  arrivals(paymentHash: string): Promise<number>
  /** Another process takes the sender's place; what the old one knew in memory is gone. */
  restartSender(): Promise<void>
  /** An invoice of the receiver, known to its VASP. */
  ownInvoice(amountMsats: bigint): Promise<{ readonly invoice: string; readonly paymentHash: string }>
  /** False when it is refused. */
  payFromOutside(own: { readonly invoice: string; readonly paymentHash: string }, amountMsats: bigint): Promise<boolean>
  /** The VASP settles an invoice inside. */
  settleInside(paymentHash: string): Promise<void>
}

const AMOUNT = 25_000n
let lastSendId = 9_000_000n

export const hashOf = (preimage: string): string =>
  createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')

/** The same payment under another id. */
export const again = (payment: OutgoingPayment): OutgoingPayment => ({ ...payment, sendId: newId() })
const newId = (): bigint => (lastSendId += 1n)

/** A payment of a new invoice of the remote node, which names no amount for `any`. */
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

/** What the node says once it knows the end. */
export async function endOf(world: NodeUnderTest, asked: OutgoingPayment): Promise<TrackOutcome> {
  let outcome: TrackOutcome = { kind: 'unknown' }
  const kind = async (): Promise<string> => (outcome = await world.sender().track(asked)).kind
  await expect.poll(kind, { interval: 10 }).not.toBe('unknown')
  return outcome
}
