import type {
  Failure,
  LightningNode,
  NodeEvent,
  OutgoingPayment,
  SendOutcome,
  TrackOutcome,
} from '@/lib/lightning/node'
import { OUR_KEY, REMOTE_KEY } from './cast'

/** Parts of the port that never change, or that the simulated instances never use. */
export const PORT_CONSTANTS: Omit<LightningNode, 'send' | 'track' | 'listen'> = {
  identity: { publicKeyHex: OUR_KEY, network: 'regtest', minimumMsats: 1n },
  accounts: [REMOTE_KEY],
  signInvoice: () => Promise.reject(new Error('no invoice is signed here')),
  cancelInvoice: undefined,
  accountFor: (payee) => (payee === REMOTE_KEY ? REMOTE_KEY : undefined),
  mayReach: (payee) => Promise.resolve(payee === REMOTE_KEY ? { feeMsats: 0n } : undefined),
  state: () => Promise.resolve('ready'),
  close: () => Promise.resolve(),
}

/** What happens to a payment in the network. */
export const FATES = [
  /** Arrives, and so does the answer. */
  'arrives',
  /** Refused for good before it is sent. */
  'refused',
  /** Arrives; the answer is `unknown`. */
  'reply lost',
  /** Stays in flight for a long time, and arrives. */
  'slow',
  /** Stays in flight for a long time, and fails. */
  'slow, fails',
  /** The call returns only when the payment ends. */
  'hangs',
  'hangs, fails',
  /** The node answers `succeeded` with a wrong preimage, and sends the right one later. */
  'lies',
  /** The node answers `failed`, and later that the payment succeeded. */
  'flaps',
  /** The route takes more than the fee limit. */
  'too dear',
  /** The node forgets the request. */
  'forgotten',
] as const
export type Fate = (typeof FATES)[number]

export interface NodeSend {
  readonly sendId: bigint
  readonly payment: OutgoingPayment
  readonly fate: Fate
  readonly feeMsats: bigint
  state: 'in flight' | 'succeeded' | 'failed'
}

export interface NodeReceipt {
  readonly paymentHash: string
  readonly amountMsats: bigint
  readonly account: string | undefined
}

/** The node's own record and its answers. It survives every crash of an instance. */
export interface SimulatedNode {
  readonly sends: ReadonlyMap<bigint, NodeSend>
  readonly receipts: readonly NodeReceipt[]
  /** All events that it has sent. A new listener receives them again. */
  readonly emitted: readonly NodeEvent[]
  /** Accepts a send; `hangs` when the answer comes with the outcome. */
  send(payment: OutgoingPayment): SendOutcome | 'hangs'
  track(sendId: bigint): TrackOutcome
  outcomeOf(sendId: bigint): SendOutcome
  /** Sends that are still in flight. */
  inProgress(): bigint[]
  end(sendId: bigint): NodeEvent
  /** A payer outside pays an invoice of ours; undefined when it was paid before. */
  receive(receipt: NodeReceipt): NodeEvent | undefined
}

export interface NodePlan {
  /** The fates of the first send, the second and so on, then again from the start. */
  readonly fates: readonly Fate[]
  /** Quarters of the fee limit that the route takes. */
  readonly feeQuarters: number
  /**
   * Whether a send that was tracked before it began is refused forever. A node that cannot promise this answers
   * `not-found`.
   */
  readonly refuses: boolean
  readonly preimageOf: (paymentHash: string) => string | undefined
}

export function makeSimulatedNode(plan: NodePlan): SimulatedNode {
  const sends = new Map<bigint, NodeSend>()
  const refused = new Set<bigint>()
  const receipts: NodeReceipt[] = []
  const emitted: NodeEvent[] = []
  let asked = 0

  function outcomeOf({ payment, state, feeMsats }: NodeSend): SendOutcome {
    const preimage =
      (payment.what.kind === 'keysend' ? payment.what.preimage : undefined) ?? plan.preimageOf(payment.paymentHash)
    if (state === 'succeeded' && preimage !== undefined) return { kind: 'succeeded', preimage, feeMsats }
    return state === 'failed' ? failed('unknown') : { kind: 'unknown' }
  }

  function tell(event: NodeEvent): NodeEvent {
    emitted.push(event)
    return event
  }

  return {
    sends,
    receipts,
    emitted,
    send(payment) {
      const { sendId } = payment
      if (refused.has(sendId)) return failed('never-sent')
      const earlier = sends.get(sendId)
      if (earlier !== undefined) return outcomeOf(earlier)
      const fate = plan.fates[asked++ % plan.fates.length] ?? 'arrives'
      if (fate === 'forgotten') return { kind: 'unknown' }
      const feeMsats =
        fate === 'too dear' ? payment.feeLimitMsats + 777n : (payment.feeLimitMsats * BigInt(plan.feeQuarters)) / 4n
      const made: NodeSend = { sendId, payment, fate, feeMsats, state: 'in flight' }
      sends.set(sendId, made)
      switch (fate) {
        case 'arrives':
        case 'too dear':
          made.state = 'succeeded'
          return outcomeOf(made)
        case 'reply lost':
          made.state = 'succeeded'
          return { kind: 'unknown' }
        case 'refused':
          made.state = 'failed'
          return outcomeOf(made)
        case 'lies':
          return { kind: 'succeeded', preimage: 'a'.repeat(64), feeMsats: 0n }
        case 'flaps':
          return failed('unknown')
        case 'slow':
        case 'slow, fails':
          return { kind: 'unknown' }
        case 'hangs':
        case 'hangs, fails':
          return 'hangs'
      }
    },
    track(sendId) {
      const known = sends.get(sendId)
      if (known !== undefined)
        return known.fate === 'flaps' && known.state === 'in flight' ? failed('unknown') : outcomeOf(known)
      if (refused.has(sendId)) return failed('never-sent')
      if (!plan.refuses) return { kind: 'not-found', saidBy: OUR_KEY }
      refused.add(sendId)
      return failed('never-sent')
    },
    outcomeOf(sendId) {
      const known = sends.get(sendId)
      return known === undefined ? { kind: 'unknown' } : outcomeOf(known)
    },
    inProgress: () => [...sends.values()].filter(({ state }) => state === 'in flight').map(({ sendId }) => sendId),
    end(sendId) {
      const send = sends.get(sendId)
      if (send === undefined) throw new Error(`the node knows no send ${sendId}`)
      send.state = send.fate.endsWith('fails') ? 'failed' : 'succeeded'
      return tell({ kind: 'sent', sendId, outcome: outcomeOf(send) })
    },
    receive(receipt) {
      if (receipts.some(({ paymentHash }) => paymentHash === receipt.paymentHash)) return undefined
      receipts.push(receipt)
      return tell({ kind: 'received', ...receipt })
    },
  }
}

function failed(failure: Failure): SendOutcome {
  return { kind: 'failed', failure }
}
