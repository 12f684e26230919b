import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeInvoice, encodeInvoice } from '@/lib/lightning/bolt11'
import {
  LndError,
  NotSent,
  type Lnd,
  type LndChannel,
  type LndInvoice,
  type LndPayment,
  type NewLndInvoice,
  type SendRequest,
} from '@/lib/lightning/lnd/lnd'
import type { TlvRecord } from '@/lib/lightning/node'
import { nodePublicKey } from '@/lib/lightning/node-key'
import { newNodeSecret } from '../vasp/keys'

// A node with the semantics of LND v0.20: payments are identified by hash only, another attempt after a failure is a new payment,
// and errors have the status and text of its REST interface. It keeps its state through restarts.

export type FakeLnd = ReturnType<typeof makeFakeLnd>

/** What the network does with payments that are sent from now on. */
export type Fate = 'arrives' | 'is refused' | 'is held'

/** gRPC codes of LND's errors. */
const [UNKNOWN, NOT_FOUND, ALREADY_EXISTS] = [2, 5, 6]

export function makeFakeLnd({ latencyMs = 2 } = {}) {
  const [secretHex, remoteSecret] = [newNodeSecret(), newNodeSecret()]
  const publicKeyHex = nodePublicKey(secretHex)
  const remoteKey = nodePublicKey(remoteSecret)
  const invoices = new Map<string, LndInvoice>()
  const payments = new Map<string, LndPayment>()
  const remotePreimages = new Map<string, string>()
  const arrivals = new Map<string, number>()
  const held = new Map<string, (fate: Fate) => void>()
  const released = new Map<string, Fate>()
  const values = new Map<string, bigint | undefined>()
  const subscribers = new Set<{ readonly tell: (invoice: LndInvoice) => void; readonly end: () => void }>()
  const calls = new Set<(error: Error) => void>()
  let [lastPaymentIndex, lastSettleIndex] = [0n, 0n]
  let phase: 'ready' | 'starting' | 'away' = 'ready'

  /** One call: latency both ways, an error while LND is down, and a broken connection if LND stops during the call. */
  async function call<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    await sleep(latencyMs)
    if (phase === 'away') throw new NotSent('connect ECONNREFUSED')
    if (phase === 'starting') throw new LndError(UNKNOWN, 'the RPC server is in the process of starting up')
    let abort: (error: Error) => void = () => {}
    const stopped = new Promise<never>((_, reject) => calls.add((abort = reject)))
    try {
      const result = await Promise.race([Promise.resolve().then(work), stopped])
      await Promise.race([sleep(latencyMs), stopped])
      return result
    } finally {
      calls.delete(abort)
    }
  }

  function addInvoice({ preimage, valueMsat, expirySeconds, purpose }: NewLndInvoice): string {
    const paymentHash = hashOf(preimage)
    if (invoices.has(paymentHash)) throw new LndError(UNKNOWN, 'invoice with payment hash already exists')
    const none = { description: undefined, descriptionHash: undefined }
    const paymentRequest = sign(secretHex, { ...none, ...purpose, paymentHash, amountMsats: valueMsat, expirySeconds })
    values.set(paymentHash, valueMsat)
    invoices.set(paymentHash, { ...OPEN, paymentHash, preimage })
    return paymentRequest
  }

  function invoiceOf(paymentHash: string): LndInvoice {
    const invoice = invoices.get(paymentHash)
    if (invoice === undefined) throw new LndError(NOT_FOUND, 'unable to locate invoice')
    return invoice
  }

  function cancelInvoice(paymentHash: string): void {
    const invoice = invoiceOf(paymentHash)
    if (invoice.state === 'SETTLED') throw new LndError(UNKNOWN, 'invoice already settled')
    invoices.set(paymentHash, { ...invoice, state: 'CANCELED', heldMsat: 0n })
  }

  function settleInvoice(preimage: string): void {
    const invoice = invoiceOf(hashOf(preimage))
    if (invoice.state === 'OPEN') throw new LndError(UNKNOWN, 'invoice still open')
    if (invoice.state === 'CANCELED') throw new LndError(UNKNOWN, 'invoice already canceled')
    if (invoice.state === 'ACCEPTED') settle(invoice, invoice.heldMsat)
  }

  /** Starts a payment and resolves when it is final, like the stream of /v2/router/send. */
  async function send(request: SendRequest): Promise<LndPayment> {
    const { paymentHash } = request
    const { destination, amountMsat } = readRequest(request)
    const chosen = lnd.fate
    const known = payments.get(paymentHash)
    if (known?.status === 'SUCCEEDED') throw new LndError(ALREADY_EXISTS, 'invoice is already paid')
    if (known?.status === 'IN_FLIGHT') throw new LndError(ALREADY_EXISTS, 'payment is in transition')
    lastPaymentIndex += 1n
    const begun: LndPayment = { ...IN_FLIGHT, begunAtSeconds: lnd.begunAtSeconds, paymentIndex: lastPaymentIndex }
    payments.set(paymentHash, begun)
    const end = (over: Partial<LndPayment>): LndPayment => {
      const ended: LndPayment = { ...begun, ...over }
      payments.set(paymentHash, ended)
      return ended
    }
    const failed = (failureReason: string): LndPayment => end({ status: 'FAILED', failureReason })
    await sleep(latencyMs)
    if (destination !== remoteKey || lnd.feeMsats > request.feeLimitMsat) return failed('FAILURE_REASON_NO_ROUTE')
    if (amountMsat > lnd.capacityMsats) return failed('FAILURE_REASON_INSUFFICIENT_BALANCE')
    const fate =
      chosen === 'is held'
        ? (released.get(paymentHash) ?? (await new Promise<Fate>((go) => held.set(paymentHash, go))))
        : chosen
    const preimage = request.keysend?.preimage ?? remotePreimages.get(paymentHash)
    if (fate === 'is refused' || preimage === undefined || arrivals.has(paymentHash))
      return failed('FAILURE_REASON_INCORRECT_PAYMENT_DETAILS')
    arrivals.set(paymentHash, (arrivals.get(paymentHash) ?? 0) + 1)
    return end({ status: 'SUCCEEDED', preimage: lnd.lies ? 'a'.repeat(64) : preimage, feeMsat: lnd.feeMsats })
  }

  /** @throws LndError for a request that LND refuses before it starts a payment. */
  function readRequest({ paymentRequest, keysend, amountMsat }: SendRequest): {
    readonly destination: string
    readonly amountMsat: bigint
  } {
    if (keysend !== undefined) return { destination: keysend.destination, amountMsat: amountMsat ?? 0n }
    const decoding = decodeInvoice(paymentRequest ?? '', 'regtest')
    if (!decoding.ok) throw new LndError(UNKNOWN, decoding.reason)
    const { payee, expiresAtSeconds, amountMsats } = decoding.invoice
    if (expiresAtSeconds <= Date.now() / 1000) throw new LndError(UNKNOWN, 'invoice expired. Valid until then')
    if (payee === publicKeyHex) throw new LndError(UNKNOWN, 'self-payments not allowed')
    const amount = amountMsats ?? amountMsat
    if (amount === undefined || (amountMsats !== undefined && amountMsat !== undefined))
      throw new LndError(UNKNOWN, 'amount must be specified when paying a zero amount invoice, and only then')
    return { destination: payee, amountMsat: amount }
  }

  function settle(invoice: LndInvoice, amountPaidMsat: bigint): void {
    const settleIndex = (lastSettleIndex += 1n)
    change({ ...invoice, state: 'SETTLED', settleIndex, amountPaidMsat, heldMsat: 0n })
  }

  function change(invoice: LndInvoice): void {
    invoices.set(invoice.paymentHash, invoice)
    if (invoice.state === 'SETTLED' && lnd.unreported > 0) lnd.unreported -= 1
    else for (const { tell } of subscribers) tell(invoice)
  }

  async function* subscribe(settleIndex: bigint, signal: AbortSignal): AsyncGenerator<LndInvoice, void, undefined> {
    if (phase !== 'ready') throw new NotSent('connect ECONNREFUSED')
    const waiting = [...invoices.values()]
      .filter((each) => settleIndex > 0n && each.settleIndex > settleIndex)
      .toSorted((a, b) => Number(a.settleIndex - b.settleIndex))
    const ended = new AbortController()
    let wake = (): void => {}
    const end = (): void => {
      ended.abort()
      wake()
    }
    const subscriber = { tell: (invoice: LndInvoice) => (waiting.push(invoice), wake()), end }
    subscribers.add(subscriber)
    signal.addEventListener('abort', end)
    try {
      while (!ended.signal.aborted || waiting.length > 0) {
        const next = signal.aborted ? undefined : waiting.shift()
        if (next !== undefined) yield next
        else if (signal.aborted) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      subscribers.delete(subscriber)
    }
  }

  const lnd = {
    publicKeyHex,
    remoteKey,
    fate: 'arrives' as Fate,
    feeMsats: 0n,
    capacityMsats: 10n ** 15n,
    /** How many of the next answers of `send` are lost on their way back. */
    lostAnswers: 0,
    /** How many of the next calls of `send` never arrive. */
    lostCalls: 0,
    /** Whether LND returns a preimage that does not match the hash. */
    lies: false,

    /** How many of the next settled invoices subscribers do not see. */
    unreported: 0,
    /** When payments from now on begin, by the node's clock. */
    begunAtSeconds: 0,
    channels: [
      { id: '1', isActive: true, outboundSats: 5_000_000, inboundSats: 5_000_000, outgoing: [], incoming: [] },
    ] as readonly LndChannel[],
    /** `keysend-hold-time`: whether a keysend is held until it is settled or cancelled. */
    holdsKeysends: false,

    getInfo: () => call(() => ({ publicKeyHex, network: 'regtest', isSynced: true })),
    listChannels: () => call(() => lnd.channels),
    addInvoice: (asked: NewLndInvoice) => call(() => addInvoice(asked)),
    lookUpInvoice: (paymentHash: string) => call(() => invoiceOf(paymentHash)),
    settleInvoice: (preimage: string) => call(() => settleInvoice(preimage)),
    cancelInvoice: (paymentHash: string) => call(() => cancelInvoice(paymentHash)),
    async *invoices() {
      yield* await call(() => [...invoices.values()])
    },
    async *pendingInvoices() {
      yield* await call(() => [...invoices.values()].filter(({ state }) => state === 'OPEN' || state === 'ACCEPTED'))
    },
    subscribe,
    queryRoutes: (destination: string) =>
      call(() => {
        if (destination !== remoteKey) throw new LndError(UNKNOWN, 'unable to find a path to destination')
        return lnd.feeMsats
      }),
    close() {},
    async send(request: SendRequest): Promise<LndPayment> {
      return call(async () => {
        if (lnd.lostCalls > 0) {
          lnd.lostCalls -= 1
          throw broken()
        }
        const sent = send(request)
        if (lnd.lostAnswers === 0) return sent
        lnd.lostAnswers -= 1
        await sent.catch(() => {})
        throw broken()
      })
    },
    /** The first line of /v2/router/track. */
    track: (paymentHash: string) =>
      call(() => {
        const payment = payments.get(paymentHash)
        if (payment === undefined) throw new LndError(NOT_FOUND, "payment isn't initiated")
        return payment
      }),
    // The Lightning network around the node.

    invoice(amountMsats: bigint | undefined, expirySeconds = 3_600) {
      const preimage = randomBytes(32).toString('hex')
      const paymentHash = hashOf(preimage)
      remotePreimages.set(paymentHash, preimage)
      const invoice = sign(remoteSecret, {
        paymentHash,
        amountMsats,
        expirySeconds,
        description: 'outside',
        descriptionHash: undefined,
      })
      return { invoice, paymentHash }
    },
    arrivals: (paymentHash: string): number => arrivals.get(paymentHash) ?? 0,
    isHeld: (paymentHash: string): boolean => held.has(paymentHash),
    /** Applies also to payments that are not held yet. */
    release(paymentHash: string, fate: Fate = 'arrives'): void {
      released.set(paymentHash, fate)
      held.get(paymentHash)?.(fate)
      held.delete(paymentHash)
    },
    /** Another node pays an invoice of ours. False when LND refuses: cancelled, already paid, or too little. */
    payFromOutside(paymentHash: string, amountMsat: bigint): boolean {
      const invoice = invoices.get(paymentHash)
      if (invoice?.state !== 'OPEN' || amountMsat < (values.get(paymentHash) ?? 1n)) return false
      settle(invoice, amountMsat)
      return true
    },
    keysendFromOutside(preimage: string, amountMsat: bigint, records: readonly TlvRecord[]): void {
      const arrived: LndInvoice = { ...OPEN, paymentHash: hashOf(preimage), preimage, isKeysend: true, records }
      if (!lnd.holdsKeysends) return settle(arrived, amountMsat)
      change(arrived)
      // Accepted invoices are not reported.
      invoices.set(arrived.paymentHash, { ...arrived, state: 'ACCEPTED', heldMsat: amountMsat })
    },
    /** An LND that was made anew from its seed. */
    forget: (paymentHash: string): void => void payments.delete(paymentHash),
    isFollowed: (): boolean => subscribers.size > 0,
    stateOf: (paymentHash: string): LndInvoice['state'] | undefined => invoices.get(paymentHash)?.state,
    /** Breaks every open call and stream. LND is then down, then starting, then ready. */
    stop(): void {
      phase = 'away'
      for (const abort of calls) abort(broken())
      const ending = [...subscribers]
      subscribers.clear()
      for (const { end } of ending) end()
    },
    begin: () => void (phase = 'starting'),
    ready: () => void (phase = 'ready'),
  }
  lnd satisfies Lnd
  return lnd
}

const OPEN = {
  state: 'OPEN',
  settleIndex: 0n,
  amountPaidMsat: 0n,
  heldMsat: 0n,
  isKeysend: false,
  records: [],
} as const

const broken = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

const IN_FLIGHT = {
  status: 'IN_FLIGHT',
  leftThrough: ['1'],
  failureReason: 'FAILURE_REASON_NONE',
  preimage: '0'.repeat(64),
  feeMsat: 0n,
} as const

function hashOf(preimageHex: string): string {
  return createHash('sha256').update(Buffer.from(preimageHex, 'hex')).digest('hex')
}

function sign(
  nodeSecretHex: string,
  terms: Pick<
    Parameters<typeof encodeInvoice>[0],
    'paymentHash' | 'amountMsats' | 'expirySeconds' | 'description' | 'descriptionHash'
  >,
): string {
  const [createdAtSeconds, paymentSecretHex] = [Math.floor(Date.now() / 1000), randomBytes(32).toString('hex')]
  return encodeInvoice({ ...terms, nodeSecretHex, network: 'regtest', createdAtSeconds, paymentSecretHex })
}
