import { setTimeout as sleep } from 'node:timers/promises'
import { decodeInvoice } from '@/lib/lightning/bolt11'
import type {
  Failure,
  LightningNode,
  NodeEvent,
  OutgoingPayment,
  SendOutcome,
  TrackedPayment,
  TrackOutcome,
} from '@/lib/lightning/node'
import { provesPayment } from '@/lib/lightning/preimage'
import type { FakeLnd } from './lnd'
import { isLndError, type LndInvoice, type LndPayment, type SendRequest } from './messages'
import type { SendRow, SendTable } from './sends'

interface Follow {
  readonly lnd: FakeLnd
  readonly retryMs: number
  readonly after: string | undefined
  /** Resolves when the event is booked. */
  readonly deliver: (event: NodeEvent) => Promise<void>
}

/** Reports settled invoices one at a time, in the order of LND's settle_index, which is the cursor. It continues after restarts of LND. */
function followInvoices({ lnd, retryMs, after, deliver }: Follow): () => void {
  const end = new AbortController()
  let wake = (): void => {}

  const settledAfter = async (cursor: bigint): Promise<LndInvoice[]> =>
    (await lnd.listInvoices())
      .filter(({ settleIndex }) => settleIndex > cursor)
      .toSorted((a, b) => Number(a.settleIndex - b.settleIndex))

  async function firstCursor(): Promise<bigint> {
    if (after !== undefined) return BigInt(after)
    const cursor = (await settledAfter(0n)).at(-1)?.settleIndex ?? 0n
    await deliver({ kind: 'position', cursor: String(cursor) })
    return cursor
  }

  /** Runs until the stream ends. Returns the cursor from which to continue. */
  async function followOnce(from: bigint): Promise<bigint> {
    let cursor = from
    const waiting: LndInvoice[] = []
    let isOpen = true
    const unsubscribe = lnd.subscribe(
      from,
      (invoice) => (waiting.push(invoice), wake()),
      () => ((isOpen = false), wake()),
    )
    try {
      // A subscription from index 0 leaves out invoices that were settled before it.
      if (from === 0n) waiting.unshift(...(await settledAfter(0n)))
      while (!end.signal.aborted) {
        const invoice = waiting.shift()
        if (invoice === undefined && !isOpen) break
        if (invoice === undefined) await new Promise<void>((resolve) => (wake = resolve))
        else if (invoice.settleIndex > cursor) {
          await deliver(received(invoice, lnd.publicKeyHex))
          cursor = invoice.settleIndex
        }
      }
    } finally {
      unsubscribe()
    }
    return cursor
  }

  async function follow(): Promise<void> {
    let cursor: bigint | undefined
    while (!end.signal.aborted) {
      try {
        cursor = await followOnce((cursor ??= await firstCursor()))
      } catch {
        // LND is down or starting.
      }
      await sleep(retryMs, undefined, { ref: false })
    }
  }

  void follow()
  return () => {
    end.abort()
    wake()
  }
}

function received(invoice: LndInvoice, account: string): NodeEvent {
  const { paymentHash, amountPaidMsat: amountMsats, settleIndex, isKeysend, preimage, records } = invoice
  const keysend = isKeysend ? { keysend: { preimage, records } } : {}
  return { kind: 'received', paymentHash, amountMsats, account, ...keysend, cursor: String(settleIndex) }
}

const UNKNOWN = { kind: 'unknown' } as const
const failed = (failure: Failure): Extract<SendOutcome, { kind: 'failed' }> => ({ kind: 'failed', failure })

/** A `LightningNode` over LND, for one process. All processes share the table, which survives restarts. */
export function makeLndNode(parts: {
  readonly lnd: FakeLnd
  readonly sends: SendTable
  /** How long `send` waits for the final result of a payment. */
  readonly patienceMs?: number
  /** The delay between two attempts to deliver an event or to reach LND. */
  readonly retryMs?: number
}): LightningNode {
  const { lnd, sends, patienceMs = 1_000, retryMs = 5 } = parts
  const own = lnd.publicKeyHex
  const listeners = new Set<(event: NodeEvent) => Promise<void>>()
  const stops = new Set<() => void>()
  /** Sends whose call to LND is open in this process: what LND reports for the hash may belong to an earlier send. */
  const posting = new Set<bigint>()

  function tell(event: NodeEvent): void {
    for (const listener of listeners) void deliver(listener, event, () => !listeners.has(listener))
  }

  async function deliver(
    listener: (event: NodeEvent) => Promise<void>,
    event: NodeEvent,
    isStopped: () => boolean,
  ): Promise<void> {
    while (!isStopped()) {
      try {
        return await listener(event)
      } catch {
        await sleep(retryMs)
      }
    }
  }

  async function end(sendId: bigint, outcome: Exclude<SendOutcome, { kind: 'unknown' }>): Promise<SendOutcome> {
    const ended = await sends.end(sendId, outcome)
    if (ended.isNew) tell({ kind: 'sent', sendId, outcome: ended.outcome })
    return ended.outcome
  }

  /** LND's last payment for the hash; undefined when LND never started one. @throws Error when LND gives no answer. */
  async function lookUp(paymentHash: string): Promise<LndPayment | undefined> {
    try {
      return await lnd.track(paymentHash)
    } catch (error) {
      if (isLndError(error) && error.status === 404) return undefined
      throw error
    }
  }

  /** The outcome of this send, from LND's payment for the hash. Undefined when that is another send's payment (M1). */
  async function read(row: SendRow, payment: LndPayment): Promise<SendOutcome | undefined> {
    const { sendId, paymentHash } = row
    const index = row.index ?? payment.paymentIndex
    if (payment.paymentIndex <= row.previousIndex) return undefined
    // LND starts another payment only after ours has failed.
    if (index < payment.paymentIndex) return end(sendId, failed('other'))
    if (row.index === undefined) await sends.adopt(sendId, index)
    if (payment.status === 'IN_FLIGHT') return UNKNOWN
    if (payment.status === 'FAILED') return end(sendId, failed(FAILURE_REASONS[payment.failureReason] ?? 'other'))
    const { preimage, feeMsat: feeMsats } = payment
    return provesPayment(preimage, paymentHash) ? end(sendId, { kind: 'succeeded', preimage, feeMsats }) : UNKNOWN
  }

  async function pay(payment: OutgoingPayment): Promise<SendOutcome> {
    const { sendId, paymentHash } = payment
    const known = await sends.find(sendId)
    if (known !== undefined) return known.paymentHash === paymentHash ? (known.outcome ?? UNKNOWN) : UNKNOWN
    const request = requestOf(payment)
    const last = request === undefined ? undefined : await lookUp(paymentHash).catch(() => 'away' as const)
    const begun = await sends.begin(sendId, paymentHash, typeof last === 'object' ? last.paymentIndex : 0n)
    if (!begun.isNew) return begun.row.outcome ?? UNKNOWN
    if (request === undefined) return end(sendId, failed('amount'))
    if (last === 'away' || !(await sends.post(sendId))) {
      const given = await sends.giveUp(sendId, paymentHash)
      return given.outcome ?? UNKNOWN
    }
    return post({ ...begun.row, state: 'posted' }, request)
  }

  async function post(row: SendRow, request: SendRequest): Promise<SendOutcome> {
    posting.add(row.sendId)
    const ended = lnd
      .send(request)
      .then(
        (payment) => read(row, payment),
        (error: unknown) => readError(row, error),
      )
      .then((outcome) => outcome ?? UNKNOWN)
      .catch(() => UNKNOWN)
      .finally(() => posting.delete(row.sendId))
    return Promise.race([ended, sleep(patienceMs, UNKNOWN, { ref: false })])
  }

  /** An error alone is never final. It is final if LND then has no payment for this send. */
  async function readError(row: SendRow, error: unknown): Promise<SendOutcome> {
    const isRefused = (error as { readonly code?: unknown }).code === 'ECONNREFUSED'
    if (isRefused) return end(row.sendId, failed('never-sent'))
    if (!isLndError(error)) return UNKNOWN
    const payment = await lookUp(row.paymentHash)
    const outcome = payment && (await read(row, payment))
    if (outcome !== undefined) return outcome
    if (payment?.status === 'SUCCEEDED') return end(row.sendId, failed('paid'))
    // LND is still processing an earlier send.
    if (payment?.status === 'IN_FLIGHT') return end(row.sendId, failed('never-sent'))
    return end(row.sendId, failed(/expired/.test(error.message) ? 'expired' : 'other'))
  }

  async function track({ sendId, paymentHash }: TrackedPayment): Promise<TrackOutcome> {
    const row = await sends.giveUp(sendId, paymentHash)
    if (row.paymentHash !== paymentHash) return UNKNOWN
    if (row.outcome !== undefined) return row.outcome
    if (posting.has(sendId)) return UNKNOWN
    const payment = await lookUp(paymentHash)
    const outcome = payment && (await read(row, payment))
    return outcome ?? { kind: 'not-found', saidBy: own }
  }

  return {
    identity: { publicKeyHex: own, network: 'regtest' },
    accounts: [own],
    async signInvoice({ preimageHex: preimage, amountMsats: valueMsat, expirySeconds, purpose }) {
      const none = { description: undefined, descriptionHash: undefined }
      const made = await lnd.addInvoice({ preimage, valueMsat, expirySeconds, ...none, ...purpose })
      const decoding = decodeInvoice(made.paymentRequest, 'regtest')
      if (!decoding.ok) throw new Error(`LND created an invoice that cannot be read: ${decoding.reason}`)
      const { invoice, paymentHash, createdAtSeconds, expiresAtSeconds } = decoding.invoice
      return { invoice, paymentHash, createdAtSeconds, expiresAtSeconds }
    },
    async cancelInvoice(paymentHash) {
      try {
        await lnd.cancelInvoice(paymentHash)
        return 'cancelled'
      } catch (error) {
        if (isLndError(error) && error.message === 'invoice already settled') return 'settled'
        throw error
      }
    },
    accountFor: () => own,
    mayReach: (payee) =>
      lnd.queryRoutes(payee).then(
        ({ feeMsat: feeMsats }) => ({ feeMsats }),
        () => undefined,
      ),
    send: (payment) => pay(payment).catch(() => UNKNOWN),
    track: (payment) => track(payment).catch(() => UNKNOWN),
    listen(listener, after) {
      const each: typeof listener = (event) => listener(event)
      listeners.add(each)
      const isStopped = (): boolean => !listeners.has(each)
      const unfollow = followInvoices({ lnd, retryMs, after, deliver: (event) => deliver(each, event, isStopped) })
      const stop = (): void => {
        listeners.delete(each)
        unfollow()
      }
      stops.add(stop)
      return stop
    },
    state: () =>
      lnd.getInfo().then(
        () => 'ready',
        (error: unknown) => (isLndError(error) ? 'starting' : 'away'),
      ),
    async close() {
      for (const stop of stops) stop()
    },
  }
}

const FAILURE_REASONS: Readonly<Record<string, Failure>> = {
  FAILURE_REASON_NO_ROUTE: 'no-route',
  FAILURE_REASON_INCORRECT_PAYMENT_DETAILS: 'unknown',
  FAILURE_REASON_INSUFFICIENT_BALANCE: 'no-liquidity',
  FAILURE_REASON_TIMEOUT: 'timeout',
}

/** Undefined when the invoice names an amount other than the one that the ledger holds. */
function requestOf({ paymentHash, amountMsats, feeLimitMsats, payee, what }: OutgoingPayment): SendRequest | undefined {
  const common = { paymentHash, feeLimitMsat: feeLimitMsats }
  if (what.kind === 'keysend') {
    const { preimage, records } = what
    return { ...common, amountMsat: amountMsats, keysend: { destination: payee, preimage, records } }
  }
  const decoding = decodeInvoice(what.invoice, 'regtest')
  const named = decoding.ok ? decoding.invoice.amountMsats : undefined
  if (named !== undefined && named !== amountMsats) return undefined
  const amount = named === undefined ? { amountMsat: amountMsats } : {}
  return { ...common, ...amount, paymentRequest: what.invoice }
}
