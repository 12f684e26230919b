import { createHash, randomBytes } from 'node:crypto'
import { encodeInvoice } from '@/lib/lightning/bolt11'
import type {
  Failure,
  LightningNode,
  NodeEvent,
  OutgoingPayment,
  SendOutcome,
  TrackOutcome,
} from '@/lib/lightning/node'
import { nodePublicKey } from '@/lib/lightning/node-key'
import { signInvoice } from '@/lib/lightning/simulated-node/sign-invoice'
import { systemClock } from '@/lib/platform/clock'
import { newNodeSecret } from '../vasp/keys'

/** What happens to a payment when it is sent. */
export type Script =
  /** Arrives, and so does the answer. */
  | 'arrives'
  /** Refused for good before it is sent. */
  | 'fails'
  /** Arrives; the answer is lost. */
  | 'reply lost'
  /** In progress until the test ends it. */
  | 'in flight'
  /** In progress, and the call itself returns only when the test ends it. */
  | 'hangs'
  /** The node forgets the request. */
  | 'forgotten'
  /** The node answers `succeeded` with a preimage that does not match. */
  | 'lies'

interface Send {
  state: 'in flight' | 'succeeded' | 'failed'
  readonly payment: OutgoingPayment
}

/** A Lightning network with one peer: our node, and all other nodes behind the peer. It keeps its own records. */
export interface ScriptedNode extends LightningNode {
  /** The public key of all other nodes. */
  readonly remoteKey: string
  /** The peer as an entry of `LIGHTNING_PEERS`. */
  readonly peers: string
  /** An invoice of another node. */
  invoice(
    amountMsats?: bigint,
    expirySeconds?: number,
    createdAtSeconds?: number,
  ): { readonly invoice: string; readonly paymentHash: string }
  script: Script
  /** The memo of new invoices. */
  memo: string
  feeMsats: bigint
  /** Every call of `send`, in order. */
  readonly sent: OutgoingPayment[]
  /** How often a payment was tracked. */
  tracked: number
  stateOf(paymentHash: string): Send['state'] | undefined
  /** Ends a payment in progress, and lets hanging calls return. Listeners are notified only with `tells`. */
  end(paymentHash: string, how: 'succeeded' | 'failed', tells?: 'tells'): Promise<void>
  /** Notifies the listeners, as a node does by itself. */
  tell(event: NodeEvent): Promise<void>
}

export function makeScriptedNode(secretHex = newNodeSecret(), remoteSecretHex = newNodeSecret()): ScriptedNode {
  const remoteKey = nodePublicKey(remoteSecretHex)
  const preimages = new Map<string, string>()
  const sends = new Map<bigint, Send | 'refused'>()
  const hanging = new Map<string, (() => void)[]>()
  const listeners = new Set<(event: NodeEvent) => Promise<void>>()

  const byHash = (paymentHash: string): Send | undefined =>
    [...sends.values()]
      .filter((each): each is Send => each !== 'refused')
      .findLast(({ payment }) => payment.paymentHash === paymentHash)

  function outcomeOf({ payment, state }: Send): SendOutcome {
    const preimage = preimageIn(payment) ?? preimages.get(payment.paymentHash)
    if (state === 'succeeded' && preimage !== undefined) return { kind: 'succeeded', preimage, feeMsats: node.feeMsats }
    return state === 'failed' ? failed('unknown') : { kind: 'unknown' }
  }

  async function send(payment: OutgoingPayment): Promise<SendOutcome> {
    node.sent.push(payment)
    const earlier = sends.get(payment.sendId)
    if (earlier === 'refused') return failed('never-sent')
    if (earlier !== undefined) return outcomeOf(earlier)
    if (node.script === 'forgotten') return { kind: 'unknown' }
    const made: Send = { state: 'in flight', payment }
    sends.set(payment.sendId, made)
    switch (node.script) {
      case 'arrives':
        made.state = 'succeeded'
        return outcomeOf(made)
      case 'reply lost':
        made.state = 'succeeded'
        return { kind: 'unknown' }
      case 'fails':
        made.state = 'failed'
        return outcomeOf(made)
      case 'in flight':
        return { kind: 'unknown' }
      case 'lies':
        return { kind: 'succeeded', preimage: 'a'.repeat(64), feeMsats: 0n }
      case 'hangs':
        await new Promise<void>((resolve) =>
          hanging.set(payment.paymentHash, [...(hanging.get(payment.paymentHash) ?? []), resolve]),
        )
        return outcomeOf(made)
    }
  }

  const node: ScriptedNode = {
    identity: { publicKeyHex: nodePublicKey(secretHex), network: 'regtest', minimumMsats: 1n },
    accounts: [remoteKey],
    remoteKey,
    peers: `${remoteKey}@http://localhost:9`,
    script: 'arrives',
    memo: 'a thing from afar',
    feeMsats: 0n,
    sent: [],
    tracked: 0,
    signInvoice: async (terms) => signInvoice({ secretHex, network: 'regtest', clock: systemClock }, terms),
    cancelInvoice: undefined,
    accountFor: (payee) => (payee === remoteKey ? remoteKey : undefined),
    mayReach: (payee) => Promise.resolve(payee === remoteKey ? { feeMsats: node.feeMsats } : undefined),
    state: () => Promise.resolve('ready'),
    close: async () => listeners.clear(),
    send,
    track(payment): Promise<TrackOutcome> {
      node.tracked += 1
      const known = sends.get(payment.sendId)
      if (known === undefined && node.script === 'forgotten')
        return Promise.resolve({ kind: 'not-found', saidBy: node.identity.publicKeyHex })
      if (known === undefined) sends.set(payment.sendId, 'refused')
      return Promise.resolve(known === undefined || known === 'refused' ? failed('never-sent') : outcomeOf(known))
    },
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    invoice(amountMsats, expirySeconds = 3_600, createdAtSeconds = Math.floor(Date.now() / 1000)) {
      const preimage = randomBytes(32)
      const paymentHash = createHash('sha256').update(preimage).digest('hex')
      preimages.set(paymentHash, preimage.toString('hex'))
      const invoice = encodeInvoice({
        nodeSecretHex: remoteSecretHex,
        network: 'regtest',
        paymentHash,
        paymentSecretHex: randomBytes(32).toString('hex'),
        amountMsats,
        description: node.memo,
        descriptionHash: undefined,
        createdAtSeconds,
        expirySeconds,
      })
      return { invoice, paymentHash }
    },
    stateOf: (paymentHash) => byHash(paymentHash)?.state,
    async end(paymentHash, how, tells) {
      const found = byHash(paymentHash)
      if (found === undefined) throw new Error('no payment with this hash was sent')
      found.state = how
      for (const resolve of hanging.get(paymentHash) ?? []) resolve()
      hanging.delete(paymentHash)
      if (tells === 'tells') await node.tell({ kind: 'sent', sendId: found.payment.sendId, outcome: outcomeOf(found) })
    },
    async tell(event) {
      for (const listener of listeners) await listener(event)
    },
  }
  return node
}

function preimageIn({ what }: OutgoingPayment): string | undefined {
  return what.kind === 'keysend' ? what.preimage : undefined
}

function failed(failure: Failure): SendOutcome {
  return { kind: 'failed', failure }
}
