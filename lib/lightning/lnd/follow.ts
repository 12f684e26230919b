import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../platform/log'
import type { NodeEvent } from '../node'
import type { Lnd, LndInvoice } from './lnd'

export interface FollowParts {
  readonly lnd: Lnd
  /** The ledger account of what is received. */
  readonly account: string
  readonly log: Log
  /** The pause before LND is called again. */
  readonly retryMs: number
  /** The time of the first check. */
  readonly checkMs?: number | undefined
  /** LND's settle_index of the last payment that was booked. */
  readonly after: string | undefined
  /** Resolves when the event is booked. */
  readonly deliver: (event: NodeEvent) => Promise<void>
  /** Called with a keysend that LND holds, or has accepted. */
  readonly decide: (keysend: LndInvoice) => void
}

/** A subscription shows nothing until the first event, so LND is called beside it. */
const FIRST_CHECK_MS = 5_000
const CHECK_MS = 30_000

/**
 * Reports settled invoices one at a time, in the order of LND's settle_index, which is the cursor. Goes on after restarts of LND and
 * lost connections. Returns the function that stops it.
 */
export function followInvoices({
  lnd,
  account,
  log,
  retryMs,
  checkMs,
  after,
  deliver,
  decide,
}: FollowParts): () => void {
  const end = new AbortController()
  let cursor = after === undefined ? undefined : BigInt(after)
  /** The cursor after which LND left out an index. */
  let gapAfter: bigint | undefined
  let turn: Promise<unknown> = Promise.resolve()

  /** Runs work after all earlier work, so that only one event is delivered at a time. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }

  async function settledAfter(index: bigint): Promise<LndInvoice[]> {
    const settled: LndInvoice[] = []
    for await (const invoice of lnd.invoices()) if (invoice.settleIndex > index) settled.push(invoice)
    return settled.toSorted((a, b) => Number(a.settleIndex - b.settleIndex))
  }

  async function report(invoice: LndInvoice): Promise<void> {
    await deliver(received(invoice, account))
    cursor = invoice.settleIndex
  }

  async function catchUp(): Promise<void> {
    for (const invoice of await settledAfter(cursor ?? 0n)) {
      if (end.signal.aborted) return
      await report(invoice)
    }
  }

  /** After a restart, LND holds such a keysend for as long as its route allows, a day and more. */
  async function decideHeld(): Promise<void> {
    for await (const invoice of lnd.pendingInvoices())
      if (invoice.isKeysend && invoice.state === 'ACCEPTED') decide(invoice)
  }

  async function begin(): Promise<bigint> {
    const position = (await settledAfter(0n)).at(-1)?.settleIndex ?? 0n
    await deliver({ kind: 'position', cursor: String(position) })
    return position
  }

  /** @throws Error when LND has what the stream did not show. */
  async function onSettled(invoice: LndInvoice, from: bigint): Promise<void> {
    const next = (cursor ?? from) + 1n
    if (invoice.settleIndex < next) return
    if (invoice.settleIndex === next || gapAfter === cursor) return report(invoice)
    // A subscription to index 0 shows no past invoices, and LND may skip one of two that settle together. The past ones are complete.
    gapAfter = cursor
    if (from < 2n) return catchUp()
    throw new Error('the stream left out a settled invoice')
  }

  /** @throws Error when LND does not answer, or has settled invoices that the stream does not show. */
  async function check(isConfirmed: boolean): Promise<void> {
    await decideHeld()
    const at = cursor ?? 0n
    if (at < 2n) return catchUp()
    if (isConfirmed) return
    if ((await settledAfter(at - 1n)).length > 0) throw new Error('the stream shows nothing')
    log.error(
      { cursor: String(at) },
      'LND has lost invoices that were booked: all that it has are compared with the books',
    )
    cursor = 0n
    await deliver({ kind: 'position', cursor: '0' })
    // A subscription to a later index would leave out the next ones.
    throw new Error('LND has lost invoices')
  }

  /** Runs until the stream ends. It begins with the last invoice that was booked, which shows that it is open and LND is the same. */
  async function followOnce(from: bigint): Promise<void> {
    const broken = new AbortController()
    const signal = AbortSignal.any([end.signal, broken.signal])
    let isConfirmed = false
    const onInvoice = async (invoice: LndInvoice): Promise<void> => {
      isConfirmed ||= invoice.settleIndex > 0n && invoice.settleIndex >= from
      if (invoice.state === 'SETTLED') return inTurn(() => onSettled(invoice, from))
      if (invoice.isKeysend && invoice.state !== 'CANCELED') decide(invoice)
    }
    const checking = (async () => {
      for (let afterMs = checkMs ?? FIRST_CHECK_MS; ; afterMs = CHECK_MS) {
        await sleep(afterMs, undefined, { ref: false, signal })
        await inTurn(() => check(isConfirmed))
      }
    })()
    checking.catch((error: unknown) => broken.abort(error))
    try {
      const following = (async () => {
        for await (const invoice of lnd.subscribe(from > 0n ? from - 1n : 0n, signal)) await onInvoice(invoice)
      })()
      await Promise.all([following, decideHeld(), from < 2n ? inTurn(catchUp) : undefined])
    } finally {
      broken.abort()
    }
  }

  async function follow(): Promise<void> {
    let isDown = false
    while (!end.signal.aborted) {
      try {
        cursor ??= await begin()
        await lnd.getInfo()
        if (isDown) log.info({}, 'LND reports received payments again')
        isDown = false
        await followOnce(cursor)
      } catch (error) {
        if (!isDown && !end.signal.aborted) log.warn({ error }, 'LND does not report received payments')
        isDown = true
      }
      await sleep(retryMs, undefined, { ref: false })
    }
  }

  void follow()
  return () => end.abort()
}

function received(invoice: LndInvoice, account: string): NodeEvent {
  const { paymentHash, amountPaidMsat: amountMsats, settleIndex, isKeysend, preimage, records } = invoice
  const keysend = isKeysend ? { keysend: { preimage, records } } : {}
  return { kind: 'received', paymentHash, amountMsats, account, ...keysend, cursor: String(settleIndex) }
}
