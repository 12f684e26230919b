import type { Clock } from '../../platform/clock'
import { setBounded } from '../../platform/concurrency/bounded-map'
import type { Database } from '../../platform/db/database'
import type { Log } from '../../platform/log'
import type { CreditPlanner } from '../credit-planner'
import type { Failure, Keysend, LightningNode, OutgoingPayment, SendOutcome, TrackedPayment } from '../node'
import { provesPayment } from '../preimage'
import { makeBooks, type Send } from './books'
import { makeNodeKey } from './keys'
import { makeListeners } from './listeners'
import { DEADLINE_MS, type PeerAnswer } from './messages'
import { isUnusable, makeWireClient, neverLeft, noAnswer, type Post } from './peer-client'
import { makePeerLimits } from './peer-limits'
import { makeWireServer, type WireServerParts } from './peer-server'
import { makePeerTotals, type PeerTotals } from './peer-totals'
import { readPeers, type PeerNode, type PeerTerms } from './peers'
import { signInvoice } from './sign-invoice'

export interface SimulatedNodeParts {
  readonly secretHex: string | undefined
  readonly peers: readonly PeerTerms[]
  readonly db: Database
  readonly clock: Clock
  /** The origin at which peers reach this node. */
  readonly publicOrigin: string
  /** The maximum that a peer without its own limit may owe this VASP. */
  readonly peerLimitMsats: bigint
  readonly creditPlanner: CreditPlanner
  readonly log: Log
  /** Off for benchmarks. */
  readonly rateLimits: boolean
  readonly onMessage?: WireServerParts['onMessage']
  readonly isHeld?: WireServerParts['isHeld']
  /** Carries the calls to peers; `fetch` by default. */
  readonly post?: Post
}

/** A simulated Lightning node: it pays its peers by signed HTTP (docs/sandbox-lightning.md). */
export interface SimulatedNode extends LightningNode {
  /** Answers a peer's call to `/sandbox-ln/v1/*`. Never throws. */
  answer(request: Request): Promise<Response>
  readonly totals: Pick<PeerTotals, 'compareAll' | 'differences' | 'accept'>
}

const UNKNOWN = { kind: 'unknown' } as const
const NETWORK = 'regtest'
/** The maximum number of sends whose latest error is kept, so that a repeated error is logged once. */
const MAX_LOGGED = 10_000

/**
 * Makes no call to the network or the database by itself.
 * @throws SettingsError when the secret is missing or out of the curve's range, or a peer's key is not a point on the curve.
 */
export function makeSimulatedNode(parts: SimulatedNodeParts): SimulatedNode {
  const { secretHex, clock, log, post = fetch } = parts
  const key = makeNodeKey(secretHex)
  const peers = readPeers(parts.peers, key.publicKeyHex)
  const books = makeBooks(parts.db, key.publicKeyHex)
  const listeners = makeListeners(log)
  const wire = makeWireClient({ key, clock, post })
  const limits = makePeerLimits(parts.rateLimits)
  const totals = makePeerTotals(wire, books, peers, log)
  /** The last logged error of each send. */
  const logged = new Map<bigint, string>()
  const answer = makeWireServer({ ...parts, key, peers, books, limits, tell: (event) => listeners.tell(event) })

  /** Returns the outcome of a send, and notifies the listeners when this call ended the send. */
  function report({ sendId }: TrackedPayment, { outcome, fresh }: Send): SendOutcome {
    if (fresh && outcome.kind !== 'unknown') listeners.tell({ kind: 'sent', sendId, outcome })
    return outcome
  }

  async function end(payment: TrackedPayment, final: PeerAnswer): Promise<SendOutcome> {
    const { sendId, paymentHash } = payment
    if (final.state === 'received' && !provesPayment(final.preimage, paymentHash)) {
      log.error({ sendId, peer: payment.account }, 'a peer returned a preimage that does not match the payment')
      return UNKNOWN
    }
    const outcome =
      final.state === 'received'
        ? ({ kind: 'succeeded', preimage: final.preimage, feeMsats: 0n } as const)
        : ({ kind: 'failed', failure: final.failure } as const)
    const ended = await books.end(payment, outcome)
    // The first answer counts. When a peer changes its answer, an operator has to look into it.
    if (ended.outcome.kind !== outcome.kind)
      log.error({ sendId, peer: payment.account, first: ended.outcome.kind }, 'a peer changed its final answer')
    return report(payment, ended)
  }

  /** @throws Error when this VASP's database or the peer's is not available: `track` then ends the payment as never sent. */
  async function whyNotPaid(peer: PeerNode): Promise<Failure | undefined> {
    try {
      return (await totals.agreesWith(peer)) ? undefined : 'no-route'
    } catch (error) {
      if (noAnswer(error)) return 'away'
      if (isUnusable(error)) return 'no-route'
      throw error
    }
  }

  async function pay(payment: OutgoingPayment): Promise<SendOutcome> {
    const { what } = payment
    const peer = peers.get(payment.payee)
    if (peer === undefined) return report(payment, await books.giveUp(payment, 'no-route'))
    const refusal = await whyNotPaid(peer)
    if (refusal !== undefined) return report(payment, await books.giveUp(payment, refusal))
    const begun = await books.begin(payment)
    if (!begun.fresh) return begun.outcome
    const message = {
      ...named(payment),
      amount_msats: String(payment.amountMsats),
      deadline: clock.now().getTime() + DEADLINE_MS,
      ...(what.kind === 'invoice' ? { invoice: what.invoice } : { keysend: keysendOf(what) }),
    }
    try {
      return await end(payment, await wire.ask(peer, 'pay', message))
    } catch (error) {
      if (!neverLeft(error)) throw error
      return report(payment, await books.end(payment, { kind: 'failed', failure: 'away' }))
    }
  }

  async function track(payment: TrackedPayment): Promise<SendOutcome> {
    const known = await books.giveUp(payment, 'never-sent')
    if (known.outcome.kind !== 'unknown') return report(payment, known)
    // The payee recorded the payment under the key that sent it, and would refuse it under this key.
    if (known.payer !== key.publicKeyHex)
      throw new Error('it was sent under another LIGHTNING_NODE_KEY: restore that key')
    const peer = peers.get(known.payee)
    if (peer === undefined) throw new Error('the payee is no longer a peer')
    return end(payment, await wire.ask(peer, 'track', named(payment)))
  }

  /** After any error, the payment may have arrived. */
  async function orUnknown(payment: TrackedPayment, work: Promise<SendOutcome>): Promise<SendOutcome> {
    const { sendId } = payment
    try {
      const outcome = await work
      logged.delete(sendId)
      return outcome
    } catch (error) {
      // The outcome is requested every second. An unreachable peer causes the same error each time.
      if (logged.get(sendId) === String(error)) return UNKNOWN
      setBounded(logged, sendId, String(error), MAX_LOGGED)
      log.warn({ error, sendId, peer: payment.account }, 'the outcome of a payment is not known')
      return UNKNOWN
    }
  }

  return {
    identity: { publicKeyHex: key.publicKeyHex, network: NETWORK, minimumMsats: 1n },
    accounts: [...peers.keys()],
    signInvoice: async (terms) => signInvoice({ secretHex: secretHex ?? '', network: NETWORK, clock }, terms),
    cancelInvoice: undefined,
    accountFor: (payee) => (peers.has(payee) ? payee : undefined),
    mayReach: (payee) => Promise.resolve(peers.has(payee) ? { feeMsats: 0n } : undefined),
    send: (payment) => orUnknown(payment, pay(payment)),
    track: (payment) => orUnknown(payment, track(payment)),
    listen: (listener) => listeners.add(listener),
    answer,
    totals,
    state: () => Promise.resolve('ready'),
    close: async () => listeners.removeAll(),
  }
}

function keysendOf({ preimage, records }: Keysend): Keysend {
  return { preimage, records }
}

/** The fields that identify the payment at the payee. */
function named({ sendId, paymentHash }: TrackedPayment): { readonly payment_hash: string; readonly attempt: string } {
  return { payment_hash: paymentHash, attempt: String(sendId) }
}
