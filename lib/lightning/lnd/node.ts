import { setTimeout as sleep } from 'node:timers/promises'
import { setBounded } from '../../platform/concurrency/bounded-map'
import { inTime } from '../../platform/concurrency/in-time'
import type { Log } from '../../platform/log'
import { decodeInvoice } from '../bolt11'
import type { CreditPlanner } from '../credit-planner'
import { hasRouteHints } from '../invoice-fields'
import type {
  Failure,
  LightningNode,
  NodeEvent,
  NodeIdentity,
  OutgoingPayment,
  SendOutcome,
  TrackedPayment,
  TrackOutcome,
} from '../node'
import { provesPayment } from '../preimage'
import { followInvoices } from './follow'
import { makeKeysendDecisions } from './keysends'
import { LndError, NotSent, type Lnd, type LndChannel, type LndPayment, type SendRequest } from './lnd'
import type { Final, Send, Sends } from './sends'

export interface LndNodeParts {
  readonly lnd: Lnd
  readonly identity: NodeIdentity
  readonly sends: Sends
  readonly creditPlanner: CreditPlanner
  readonly log: Log
  /** How long `send` waits for the final outcome of a payment. */
  readonly patienceMs?: number
  /** The pause before an event is delivered again, and before LND is called again. */
  readonly retryMs?: number
  /** The time until LND is asked whether the stream of received payments is whole. */
  readonly checkMs?: number
}

type Listener = (event: NodeEvent) => Promise<void>

const PATIENCE_MS = 40_000
const RETRY_MS = 1_000
const MAX_LOGGED = 10_000
/** Long after LND has begun the last attempt at a payment, and after a channel that works has passed it on. */
const STRANDED_AFTER_MS = 300_000
const UNKNOWN = { kind: 'unknown' } as const
const failed = (failure: Failure): Final => ({ kind: 'failed', failure })

/** A `LightningNode` over LND. It has one account, its own key. Several processes may share the LND and the database. */
export function makeLndNode(parts: LndNodeParts): LightningNode {
  const { lnd, identity, sends, log, patienceMs = PATIENCE_MS, retryMs = RETRY_MS, checkMs } = parts
  const { publicKeyHex: own, network } = identity
  const decide = makeKeysendDecisions({ ...parts, account: own })
  const listeners = new Set<Listener>()
  const stops = new Set<() => void>()
  /** Sends whose call to LND is open in this process: what LND reports for the hash may belong to an earlier send. */
  const posting = new Set<bigint>()
  /** The last logged error of each send. */
  const logged = new Map<bigint, string>()

  async function deliver(listener: Listener, event: NodeEvent, isStopped: () => boolean): Promise<void> {
    while (!isStopped()) {
      try {
        return await listener(event)
      } catch (error) {
        log.error({ error }, 'a listener of the Lightning node failed')
        await sleep(retryMs, undefined, { ref: false })
      }
    }
  }

  async function end(send: Send, outcome: Final): Promise<SendOutcome> {
    const ended = await sends.end(send, outcome)
    const event = { kind: 'sent', sendId: send.sendId, outcome: ended.outcome } as const
    if (ended.isNew) for (const each of listeners) void deliver(each, event, () => !listeners.has(each))
    return ended.outcome
  }

  /** LND's latest payment of the hash; undefined when LND has none. @throws Error when LND does not say. */
  async function lookUp(paymentHash: string): Promise<LndPayment | undefined> {
    try {
      return await lnd.track(paymentHash)
    } catch (error) {
      if (isNotInitiated(error)) return undefined
      throw error
    }
  }

  /** The outcome of this send, by LND's latest payment of the hash. Undefined when that is an earlier send's. */
  async function read(send: Send, payment: LndPayment, asked?: OutgoingPayment): Promise<SendOutcome | undefined> {
    const { sendId, paymentHash } = send
    if (payment.paymentIndex <= send.previousIndex) return undefined
    // LND begins another payment of the hash only after this one has failed.
    if (send.index !== undefined && send.index < payment.paymentIndex) return end(send, failed('other'))
    if (send.index === undefined) await sends.adopt(sendId, payment.paymentIndex)
    if (payment.status === 'IN_FLIGHT') return UNKNOWN
    if (payment.status === 'FAILED') return end(send, failed(await failureOf(payment, asked)))
    const { preimage, feeMsat: feeMsats } = payment
    if (provesPayment(preimage, paymentHash)) return end(send, { kind: 'succeeded', preimage, feeMsats })
    log.error({ sendId, paymentHash }, 'LND returned a preimage that does not match the payment')
    return UNKNOWN
  }

  /** LND reports no route also when each costs more than the fee limit. */
  async function failureOf({ failureReason }: LndPayment, asked: OutgoingPayment | undefined): Promise<Failure> {
    const failure = FAILURE_REASONS[failureReason] ?? 'other'
    if (failure !== 'no-route' || asked === undefined) return failure
    const feeMsats = await lnd.queryRoutes(asked.payee, asked.amountMsats).catch(() => 0n)
    return feeMsats > asked.feeLimitMsats ? 'fee-limit' : 'no-route'
  }

  async function pay(payment: OutgoingPayment): Promise<SendOutcome> {
    const { sendId, paymentHash } = payment
    const known = await sends.find(sendId)
    if (known !== undefined) return (known.paymentHash === paymentHash && known.outcome) || UNKNOWN
    const request = requestOf(payment)
    const last = request === undefined ? undefined : await lookUp(paymentHash).catch(() => 'away' as const)
    const { send, isNew } = await sends.begin(payment, typeof last === 'object' ? last.paymentIndex : 0n)
    if (!isNew) return send.outcome ?? UNKNOWN
    if (request === undefined) return end(send, failed('amount'))
    if (last === 'away' || !(await sends.post(sendId))) return (await sends.giveUp(payment)).outcome ?? UNKNOWN
    return post(send, request, payment)
  }

  async function post(send: Send, request: SendRequest, asked: OutgoingPayment): Promise<SendOutcome> {
    posting.add(send.sendId)
    const ended: Promise<SendOutcome> = lnd
      .send(request)
      .then(
        (payment) => read(send, payment, asked),
        (error: unknown) => readError(send, error),
      )
      .then((outcome) => outcome ?? UNKNOWN)
      .catch((error: unknown) => unknown(send, error))
      .finally(() => posting.delete(send.sendId))
    return inTime(ended, UNKNOWN, patienceMs)
  }

  /** An error is never final by itself, whatever it says. It is final when LND then has no payment for this send. */
  async function readError(send: Send, error: unknown): Promise<SendOutcome> {
    if (error instanceof NotSent) return end(send, failed('never-sent'))
    if (!(error instanceof LndError)) return unknown(send, error)
    const payment = await lookUp(send.paymentHash)
    const outcome = payment && (await read(send, payment))
    if (outcome !== undefined) return outcome
    if (payment?.status === 'SUCCEEDED') return end(send, failed('paid'))
    // LND refused it because an earlier send is in progress.
    if (payment?.status === 'IN_FLIGHT') return end(send, failed('never-sent'))
    log.warn({ error, paymentHash: send.paymentHash }, 'LND refused a payment')
    return end(send, failed(/invoice expired/.test(error.message) ? 'expired' : 'other'))
  }

  async function track(payment: TrackedPayment): Promise<TrackOutcome> {
    const { sendId, paymentHash } = payment
    const known = await sends.find(sendId)
    if (known === undefined) await restore(payment)
    const send = known?.mayBeSent === true ? known : await sends.giveUp(payment)
    if (send.paymentHash !== paymentHash) return UNKNOWN
    if (send.outcome !== undefined) return send.outcome
    if (posting.has(sendId)) return UNKNOWN
    const latest = await lookUp(paymentHash)
    const outcome = latest && (await read(send, latest))
    if (outcome !== undefined) return outcome
    // LND had begun it and has lost its list since: it does not know that nothing was paid.
    return send.index === undefined ? { kind: 'not-found', saidBy: own } : UNKNOWN
  }

  /** Stores the row of a send that a restored database lacks, if LND has its payment. */
  async function restore(payment: TrackedPayment): Promise<void> {
    const latest = await lookUp(payment.paymentHash)
    if (latest !== undefined && latest.status !== 'FAILED') await sends.restore(payment, latest.paymentIndex)
  }

  function unknown({ sendId, paymentHash }: TrackedPayment | Send, error: unknown): typeof UNKNOWN {
    // The outcome is requested every second, and an LND that is away gives the same error each time.
    if (logged.get(sendId) !== String(error))
      log.warn({ error, sendId, paymentHash }, 'the outcome of a payment is not known')
    setBounded(logged, sendId, String(error), MAX_LOGGED)
    return UNKNOWN
  }

  /** Undefined when the invoice names an amount other than the one that the ledger holds. */
  function requestOf({
    paymentHash,
    amountMsats,
    feeLimitMsats,
    payee,
    what,
  }: OutgoingPayment): SendRequest | undefined {
    const common = { paymentHash, feeLimitMsat: feeLimitMsats }
    if (what.kind === 'keysend') {
      const { preimage, records } = what
      return { ...common, amountMsat: amountMsats, keysend: { destination: payee, preimage, records } }
    }
    const decoding = decodeInvoice(what.invoice, network)
    const named = decoding.ok ? decoding.invoice.amountMsats : undefined
    if (named !== undefined && named !== amountMsats) return undefined
    return { ...common, ...(named === undefined && { amountMsat: amountMsats }), paymentRequest: what.invoice }
  }

  return {
    identity,
    accounts: [own],
    async signInvoice({ preimageHex: preimage, amountMsats: valueMsat, expirySeconds, purpose }) {
      const made = await lnd.addInvoice({ preimage, valueMsat, expirySeconds, purpose })
      const decoding = decodeInvoice(made, network)
      if (!decoding.ok) throw new Error(`LND created an invoice that cannot be read: ${decoding.reason}`)
      const { invoice, paymentHash, createdAtSeconds, expiresAtSeconds, payee, amountMsats } = decoding.invoice
      if (payee !== own || amountMsats !== valueMsat || !provesPayment(preimage, paymentHash))
        throw new Error('LND created another invoice')
      return { invoice, paymentHash, createdAtSeconds, expiresAtSeconds }
    },
    async cancelInvoice(paymentHash) {
      try {
        await lnd.cancelInvoice(paymentHash)
        return 'cancelled'
      } catch (error) {
        if (!(error instanceof LndError)) throw error
        if (/invoice already settled/.test(error.message)) return 'settled'
        // No node can pay an invoice that LND does not have.
        if (/unable to locate invoice/.test(error.message)) return 'cancelled'
        throw error
      }
    },
    accountFor: () => own,
    // LND does not know the channels that an invoice names.
    mayReach: async (payee, amountMsats, invoice) =>
      invoice !== undefined && hasRouteHints(invoice)
        ? { feeMsats: 0n }
        : lnd.queryRoutes(payee, amountMsats).then(
            (feeMsats) => ({ feeMsats }),
            // An LND that does not answer says nothing about routes.
            (error: unknown) => (error instanceof LndError ? undefined : { feeMsats: 0n }),
          ),
    send: (payment) => pay(payment).catch((error: unknown) => unknown(payment, error)),
    track: (payment) => track(payment).catch((error: unknown) => unknown(payment, error)),
    listen(listener, after) {
      const each: Listener = (event) => listener(event)
      listeners.add(each)
      const isStopped = (): boolean => !listeners.has(each)
      const unfollow = followInvoices({
        lnd,
        account: own,
        log,
        retryMs,
        checkMs,
        after,
        deliver: (event) => deliver(each, event, isStopped),
        decide,
      })
      const stop = (): void => {
        listeners.delete(each)
        stops.delete(stop)
        unfollow()
      }
      stops.add(stop)
      return stop
    },
    state: () =>
      lnd.getInfo().then(
        () => 'ready',
        (error: unknown) => (error instanceof LndError ? 'starting' : 'away'),
      ),
    async report() {
      const [{ isSynced }, channels] = await Promise.all([lnd.getInfo(), lnd.listChannels()])
      const active = channels.filter(({ isActive }) => isActive)
      const sum = (of: (channel: LndChannel) => number): number => active.reduce((total, each) => total + of(each), 0)
      // What this node forwards for others arrives with the same hash.
      const incoming = new Set(channels.flatMap((each) => each.incoming))
      const outgoing = new Set(channels.flatMap((each) => each.outgoing).filter((hash) => !incoming.has(hash)))
      return {
        isSynced,
        activeChannels: active.length,
        inactiveChannels: channels.length - active.length,
        outboundSats: sum(({ outboundSats }) => outboundSats),
        inboundSats: sum(({ inboundSats }) => inboundSats),
        paymentsInFlight: outgoing.size,
      }
    },
    async isStranded({ sendId, paymentHash }) {
      const [payment, channels] = await Promise.all([lookUp(paymentHash), lnd.listChannels()])
      if (payment === undefined) return (await sends.find(sendId))?.index !== undefined
      if (payment.status !== 'IN_FLIGHT' || payment.leftThrough.length === 0) return false
      // A channel that is not active may still hand it over.
      const hasLetGo = (id: string): boolean =>
        channels.some((each) => each.id === id && each.isActive && !each.outgoing.includes(paymentHash))
      return Date.now() - payment.begunAtSeconds * 1_000 > STRANDED_AFTER_MS && payment.leftThrough.every(hasLetGo)
    },
    async close() {
      for (const stop of stops) stop()
      lnd.close()
    },
  }
}

/** A 404 for another reason, such as a path that LND does not serve yet, says nothing about the payment. */
function isNotInitiated(error: unknown): boolean {
  return error instanceof LndError && error.code === 5 && /payment isn't initiated/.test(error.message)
}

const FAILURE_REASONS: Readonly<Record<string, Failure>> = {
  FAILURE_REASON_NO_ROUTE: 'no-route',
  FAILURE_REASON_INCORRECT_PAYMENT_DETAILS: 'unknown',
  FAILURE_REASON_INSUFFICIENT_BALANCE: 'no-liquidity',
  FAILURE_REASON_TIMEOUT: 'timeout',
}
