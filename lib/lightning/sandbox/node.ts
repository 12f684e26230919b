import type { Clock } from '../../platform/clock'
import type { Database } from '../../platform/db/database'
import type { Log } from '../../platform/log'
import type { LightningPeer } from '../../platform/config'
import { invoicePrefixOf } from '../networks'
import type { Failure, Keysend, LightningNode, OutgoingPayment, SendOutcome, TrackedPayment } from '../node'
import { provesPayment } from '../preimage'
import type { Receiver } from '../receiver'
import { makeBooks, type Send } from './books'
import { makeNodeKey } from './keys'
import { makeListeners } from './listeners'
import { DEADLINE_MS, type PeerAnswer } from './messages'
import { makePeerLimits } from './peer-limits'
import { readPeers } from './peers'
import { compareBooks } from './first-contact'
import { signInvoice } from './sign-invoice'
import type { Peer } from './peers'
import { isUnusable, makeWireClient, neverLeft, noAnswer, type Post } from './wire-client'
import { makeWireServer } from './wire-server'

export interface SandboxNodeParts {
  readonly secretHex: string | undefined
  readonly peers: readonly LightningPeer[]
  readonly db: Database
  readonly clock: Clock
  /** Where peers reach this node. */
  readonly publicOrigin: string
  /** How much each peer may owe us. */
  readonly peerLimitMsats: bigint
  readonly receiver: Receiver
  readonly log: Log
  /** Off for benchmarks. */
  readonly rateLimits: boolean
  /** For faults in tests. */
  readonly post?: Post
}

/** A Lightning node without a network of its own: it pays its peers by signed HTTP (docs/sandbox-lightning.md). */
export interface SandboxNode extends LightningNode {
  /** Answers a peer's call on `/sandbox-ln/v1/*`. Never throws. */
  answer(request: Request): Promise<Response>
  /** Compares its books with those of every peer with which they were not found to agree since the start. Never throws. */
  meetPeers(): Promise<void>
}

const UNKNOWN = { kind: 'unknown' } as const
const NETWORK = 'regtest'

/**
 * Touches neither the network nor the database before it is asked something.
 * @throws SettingsError when the secret is missing or not a number of the curve, or a peer's key no point of it.
 */
export function makeSandboxNode(parts: SandboxNodeParts): SandboxNode {
  const { secretHex, clock, log, post = fetch } = parts
  const key = makeNodeKey(secretHex)
  const peers = readPeers(parts.peers, key.publicKeyHex)
  const books = makeBooks(parts.db, key.publicKeyHex)
  const listeners = makeListeners(log)
  const wire = makeWireClient({ key, clock, post })
  const limits = makePeerLimits(parts.rateLimits)
  const answer = makeWireServer({ ...parts, key, peers, books, limits, tell: (event) => listeners.tell(event) })

  /** What the books say of a send; those who listen hear of it when it ended this moment. */
  function told({ sendId }: TrackedPayment, { outcome, fresh }: Send): SendOutcome {
    if (fresh && outcome.kind !== 'unknown') listeners.tell({ kind: 'sent', sendId, outcome })
    return outcome
  }

  async function end(payment: TrackedPayment, word: PeerAnswer): Promise<SendOutcome> {
    const { sendId, paymentHash } = payment
    if (word.state === 'received' && !provesPayment(word.preimage, paymentHash)) {
      log.error({ sendId, peer: payment.account }, 'a peer gave a preimage that is not of the payment')
      return UNKNOWN
    }
    const outcome =
      word.state === 'received'
        ? ({ kind: 'succeeded', preimage: word.preimage, feeMsats: 0n } as const)
        : ({ kind: 'failed', failure: word.failure } as const)
    const ended = await books.end(payment, outcome)
    // The first word stays; a peer that gives two is a matter for a person.
    if (ended.outcome.kind !== outcome.kind)
      log.error({ sendId, peer: payment.account, first: ended.outcome.kind }, 'a peer took back its word')
    return told(payment, ended)
  }

  const compared = new Set<string>()
  const comparing = new Map<string, Promise<boolean>>()

  /**
   * Once for each peer and start, before anything is sent to it, and again while it disagrees: that peer alone is not paid,
   * since it might be the one that lies. Payments that begin at one moment share one question.
   * @throws Error when the peer does not answer.
   */
  function booksAgreeWith(peer: Peer): Promise<boolean> {
    const { publicKeyHex } = peer
    if (compared.has(publicKeyHex)) return Promise.resolve(true)
    const found = comparing.get(publicKeyHex) ?? compare(peer).finally(() => comparing.delete(publicKeyHex))
    comparing.set(publicKeyHex, found)
    return found
  }

  async function compare(peer: Peer): Promise<boolean> {
    const found = await compareBooks(wire, books, peer)
    if (found === 'agree') compared.add(peer.publicKeyHex)
    if (typeof found === 'string') return true
    log.error(found, 'a peer is not paid: its books and ours do not agree')
    return false
  }

  /** @throws Error when our own database, or the peer's, is not available: the payment is given up as never sent later. */
  async function whyNotPaid(peer: Peer): Promise<Failure | undefined> {
    try {
      return (await booksAgreeWith(peer)) ? undefined : 'no-route'
    } catch (error) {
      if (noAnswer(error)) return 'away'
      if (isUnusable(error)) return 'no-route'
      throw error
    }
  }

  async function pay(payment: OutgoingPayment): Promise<SendOutcome> {
    const { what } = payment
    const peer = peers.get(payment.payee)
    if (peer === undefined) return told(payment, await books.giveUp(payment, 'no-route'))
    const refusal = await whyNotPaid(peer)
    if (refusal !== undefined) return told(payment, await books.giveUp(payment, refusal))
    const begun = await books.begin(payment)
    if (begun === undefined) {
      const { inReview } = await books.totals(payment.payee)
      return told(payment, await books.giveUp(payment, inReview > 0 ? 'no-route' : 'paid'))
    }
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
      return told(payment, await books.end(payment, { kind: 'failed', failure: 'away' }))
    }
  }

  async function track(payment: TrackedPayment): Promise<SendOutcome> {
    const known = await books.giveUp(payment, 'never-sent')
    if (known.outcome.kind !== 'unknown') return told(payment, known)
    // The payee knows it under the key that sent it, and would refuse this one what it gave the other.
    if (known.payer !== key.publicKeyHex)
      throw new Error('it was sent under another LIGHTNING_NODE_KEY: put that one back')
    const peer = peers.get(known.payee)
    if (peer === undefined) throw new Error('the payee is a peer no more')
    return end(payment, await wire.ask(peer, 'track', named(payment)))
  }

  /** Whatever goes wrong, the payment may have arrived. */
  async function orUnknown(payment: TrackedPayment, work: Promise<SendOutcome>): Promise<SendOutcome> {
    try {
      return await work
    } catch (error) {
      log.warn({ error, sendId: payment.sendId, peer: payment.account }, 'the outcome of a payment is not known')
      return UNKNOWN
    }
  }

  return {
    identity: { publicKeyHex: key.publicKeyHex, network: NETWORK, invoicePrefix: invoicePrefixOf(NETWORK) },
    accounts: [...peers.keys()],
    signInvoice: async (terms) => signInvoice({ secretHex: secretHex ?? '', network: NETWORK, clock }, terms),
    cancelInvoice: undefined,
    accountFor: (payee) => (peers.has(payee) ? payee : undefined),
    mayReach: (payee) => Promise.resolve(peers.has(payee) ? { feeMsats: 0n } : undefined),
    send: (payment) => orUnknown(payment, pay(payment)),
    track: (payment) => orUnknown(payment, track(payment)),
    listen: (listener) => listeners.add(listener),
    async meetPeers() {
      // One that does not answer is asked again, at the latest before it is paid.
      await Promise.all([...peers.values()].map((peer) => booksAgreeWith(peer).catch(() => false)))
    },
    answer,
    state: () => Promise.resolve('ready'),
    close: async () => listeners.removeAll(),
  }
}

function keysendOf({ preimage, records }: Keysend): Keysend {
  return { preimage, records }
}

/** A payment as its payee knows it. */
function named({ sendId, paymentHash }: TrackedPayment): { readonly payment_hash: string; readonly attempt: string } {
  return { payment_hash: paymentHash, attempt: String(sendId) }
}
