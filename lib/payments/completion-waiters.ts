import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { readEnded, type Ended } from './open-payment'

/** Requests that wait for the end of a payment. None keeps a connection to the database. */
export interface Waiting {
  /** The end, or undefined when it has not come in time, or too many wait for it already. One that is carried `here` will be told by this process. */
  until(paymentId: bigint, patienceMs: number, where: 'here' | 'anywhere'): Promise<Ended | undefined>
  /** Says here that a payment has ended. */
  tell(paymentId: bigint, ended: Ended): void
  /** Asks the database, in one statement for everybody who waits. */
  look(): Promise<void>
  /** Lets everybody go who waits. */
  giveUp(): void
}

const AWAIT = statement(
  'await_payment',
  `update payments set notify_on_completion = true where id = $1 and state in ('held', 'sending') and not notify_on_completion`,
)

/**
 * Requests of one payment that wait at once; each takes some tens of kilobytes. Who comes then is told at once what the
 * others are told when their time is over: that it is pending.
 */
const MOST_WAITING = 200

type Resolve = (ended: Ended | undefined) => void

/**
 * A payment may end in another instance: that one is asked, by a mark on the row, to tell on the channel `payment_ended`.
 * What gets lost on the way is found by `look`, once a second.
 */
export function makeWaiting(db: Database, onError: (error: unknown) => void): Waiting {
  const waiting = new Map<bigint, Set<Resolve>>()
  let listening: Promise<void> | undefined
  let closed = false

  function tell(paymentId: bigint, ended: Ended | undefined): void {
    for (const resolve of waiting.get(paymentId) ?? []) resolve(ended)
    waiting.delete(paymentId)
  }

  async function look(ids: readonly bigint[] = [...waiting.keys()]): Promise<void> {
    if (ids.length === 0) return
    for (const [id, ended] of await readEnded(db, ids)) tell(id, ended)
  }

  function isAwaited(text: string): bigint[] {
    const id = /^\d{1,19}$/.test(text) ? BigInt(text) : undefined
    return id !== undefined && waiting.has(id) ? [id] : []
  }

  async function askOthers(paymentId: bigint): Promise<void> {
    listening ??= db.listen('payment_ended', (text) => void look(isAwaited(text)).catch(onError))
    await listening.catch((error: unknown) => {
      // Who comes next tries again.
      listening = undefined
      throw error
    })
    await db.query(AWAIT, [paymentId])
    // It may have ended before the mark was there.
    await look([paymentId])
  }

  return {
    tell,
    look: () => look(),
    giveUp() {
      closed = true
      for (const id of waiting.keys()) tell(id, undefined)
    },
    async until(paymentId, patienceMs, where) {
      if (closed || (waiting.get(paymentId)?.size ?? 0) >= MOST_WAITING) return undefined
      let timer: NodeJS.Timeout | undefined
      const ended = new Promise<Ended | undefined>((resolve) => {
        const others = waiting.get(paymentId) ?? new Set()
        waiting.set(paymentId, others.add(resolve))
        timer = setTimeout(() => {
          others.delete(resolve)
          if (others.size === 0 && waiting.get(paymentId) === others) waiting.delete(paymentId)
          resolve(undefined)
        }, patienceMs)
      })
      // The look of every second goes on, whatever becomes of this.
      if (where === 'anywhere') await askOthers(paymentId).catch(onError)
      return ended.finally(() => clearTimeout(timer))
    },
  }
}
