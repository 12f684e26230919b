import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeEvent } from '@/lib/lightning/node'
import type { FakeLnd } from './lnd'
import type { LndInvoice } from './messages'

interface Follow {
  readonly lnd: FakeLnd
  readonly retryMs: number
  readonly after: string | undefined
  /** Resolves when the event is booked. */
  readonly deliver: (event: NodeEvent) => Promise<void>
}

/** Reports settled invoices one at a time, in the order of LND's settle_index, which is the cursor; through restarts of LND. */
export function followInvoices({ lnd, retryMs, after, deliver }: Follow): () => void {
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

  /** Until the stream ends. Gives the cursor to go on from. */
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
      // A subscription from index 0 leaves out what was settled before it.
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
        // LND is away or starting.
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
