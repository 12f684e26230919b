import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeInvoice, encodeInvoice } from '@/lib/lightning/bolt11'
import type { TlvRecord } from '@/lib/lightning/node'
import { nodePublicKey } from '@/lib/lightning/node-key'
import { newNodeSecret } from '../vasp/keys'
import { answer, broken, type Fate, type LndInvoice, type LndPayment, type SendRequest } from './messages'

// A node with the semantics of LND v0.20: payments are identified by hash only, another attempt after a failure is a new payment,
// and errors have the status and text of its REST interface. It keeps its state through restarts.

export type FakeLnd = ReturnType<typeof makeFakeLnd>

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
  const subscribers = new Set<{ readonly tell: (invoice: LndInvoice) => void; readonly end: () => void }>()
  const calls = new Set<(error: Error) => void>()
  let [lastPaymentIndex, lastSettleIndex] = [0n, 0n]
  let phase: 'ready' | 'starting' | 'away' = 'ready'

  /** One call: latency both ways, an error while LND is down, and a broken connection if LND stops during the call. */
  async function call<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    await sleep(latencyMs)
    if (phase === 'away') throw broken('ECONNREFUSED')
    if (phase === 'starting') throw answer(500, 'the RPC server is in the process of starting up')
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

  function addInvoice(terms: {
    readonly preimage: string
    readonly valueMsat: bigint | undefined
    readonly expirySeconds: number
    readonly description: string | undefined
    readonly descriptionHash: string | undefined
  }): LndInvoice {
    const paymentHash = hashOf(terms.preimage)
    if (invoices.has(paymentHash)) throw answer(500, 'invoice with payment hash already exists')
    const paymentRequest = sign(secretHex, { ...terms, paymentHash, amountMsats: terms.valueMsat })
    const { preimage, valueMsat } = terms
    const open = { state: 'OPEN', settleIndex: 0n, amountPaidMsat: 0n, isKeysend: false, records: [] } as const
    const invoice: LndInvoice = { ...open, paymentHash, paymentRequest, preimage, valueMsat }
    invoices.set(paymentHash, invoice)
    return invoice
  }

  function cancelInvoice(paymentHash: string): void {
    const invoice = invoices.get(paymentHash)
    if (invoice === undefined) throw answer(404, 'unable to locate invoice')
    if (invoice.state === 'SETTLED') throw answer(500, 'invoice already settled')
    invoices.set(paymentHash, { ...invoice, state: 'CANCELED' })
  }

  /** Starts a payment and resolves when it is final, like the stream of /v2/router/send. */
  async function send(request: SendRequest): Promise<LndPayment> {
    const { paymentHash } = request
    const { destination, amountMsat } = readRequest(request)
    const chosen = lnd.fate
    const known = payments.get(paymentHash)
    if (known?.status === 'SUCCEEDED') throw answer(409, 'invoice is already paid')
    if (known?.status === 'IN_FLIGHT') throw answer(409, 'payment is in transition')
    lastPaymentIndex += 1n
    const begun: LndPayment = { ...IN_FLIGHT, paymentIndex: lastPaymentIndex }
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

  /** @throws LndError 500 for a request that LND refuses before it starts a payment. */
  function readRequest({ paymentRequest, keysend, amountMsat }: SendRequest): {
    readonly destination: string
    readonly amountMsat: bigint
  } {
    if (keysend !== undefined) return { destination: keysend.destination, amountMsat: amountMsat ?? 0n }
    const decoding = decodeInvoice(paymentRequest ?? '', 'regtest')
    if (!decoding.ok) throw answer(500, decoding.reason)
    const { payee, expiresAtSeconds, amountMsats } = decoding.invoice
    if (expiresAtSeconds <= Date.now() / 1000) throw answer(500, 'invoice expired. Valid until then')
    if (payee === publicKeyHex) throw answer(500, 'self-payments not allowed')
    const amount = amountMsats ?? amountMsat
    if (amount === undefined || (amountMsats !== undefined && amountMsat !== undefined))
      throw answer(500, 'amount must be specified when paying a zero amount invoice, and only then')
    return { destination: payee, amountMsat: amount }
  }

  function settle(invoice: LndInvoice, amountPaidMsat: bigint): void {
    const settled: LndInvoice = { ...invoice, state: 'SETTLED', settleIndex: (lastSettleIndex += 1n), amountPaidMsat }
    invoices.set(invoice.paymentHash, settled)
    for (const { tell } of subscribers) tell(settled)
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

    getInfo: () => call(() => ({ identityPubkey: publicKeyHex, network: 'regtest' as const })),
    addInvoice: (terms: Parameters<typeof addInvoice>[0]) => call(() => addInvoice(terms)),
    cancelInvoice: (paymentHash: string) => call(() => cancelInvoice(paymentHash)),
    listInvoices: () => call(() => [...invoices.values()]),
    queryRoutes: (destination: string) =>
      call(() => {
        if (destination !== remoteKey) throw answer(500, 'unable to find a path to destination')
        return { feeMsat: lnd.feeMsats }
      }),
    async send(request: SendRequest): Promise<LndPayment> {
      return call(async () => {
        if (lnd.lostCalls > 0) {
          lnd.lostCalls -= 1
          throw broken('ECONNRESET')
        }
        const sent = send(request)
        if (lnd.lostAnswers === 0) return sent
        lnd.lostAnswers -= 1
        await sent.catch(() => {})
        throw broken('ECONNRESET')
      })
    },
    /** The first line of /v2/router/track. */
    track: (paymentHash: string) =>
      call(() => {
        const payment = payments.get(paymentHash)
        if (payment === undefined) throw answer(404, "payment isn't initiated")
        return payment
      }),
    /** /v1/invoices/subscribe: invoices settled after this index, past and future. Index 0 means future ones only. */
    subscribe(settleIndex: bigint, tell: (invoice: LndInvoice) => void, end: () => void): () => void {
      if (phase !== 'ready') return (setTimeout(end, latencyMs), () => {})
      const subscriber = { tell, end }
      subscribers.add(subscriber)
      const settled = [...invoices.values()].filter((each) => settleIndex > 0n && each.settleIndex > settleIndex)
      for (const each of settled.toSorted((a, b) => Number(a.settleIndex - b.settleIndex))) tell(each)
      return () => void subscribers.delete(subscriber)
    },

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
      if (invoice?.state !== 'OPEN' || amountMsat < (invoice.valueMsat ?? 1n)) return false
      settle(invoice, amountMsat)
      return true
    },
    keysendFromOutside(preimage: string, amountMsat: bigint, records: readonly TlvRecord[]): void {
      const paymentHash = hashOf(preimage)
      const base = {
        paymentHash,
        paymentRequest: '',
        preimage,
        valueMsat: undefined,
        state: 'OPEN',
        settleIndex: 0n,
      } as const
      settle({ ...base, amountPaidMsat: 0n, isKeysend: true, records }, amountMsat)
    },
    /** Breaks every open call and stream. LND is then down, then starting, then ready. */
    stop(): void {
      phase = 'away'
      for (const abort of calls) abort(broken('ECONNRESET'))
      const ending = [...subscribers]
      subscribers.clear()
      for (const { end } of ending) end()
    },
    begin: () => void (phase = 'starting'),
    ready: () => void (phase = 'ready'),
  }
  return lnd
}

const IN_FLIGHT = {
  status: 'IN_FLIGHT',
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
