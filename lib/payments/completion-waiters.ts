import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { readEnded, type Ended } from './open-payment'

/** Requests that wait for payments to end. A waiting request holds no database connection. */
export interface CompletionWaiters {
  /**
   * How a payment ended. Undefined after `patienceMs`; immediately undefined when 200 requests already wait for this
   * payment, or after `releaseAll`. `here`: this process works on the payment and will call `notify`.
   */
  wait(paymentId: bigint, patienceMs: number, where: 'here' | 'anywhere'): Promise<Ended | undefined>
  /** Wakes the requests that wait for this payment in this process. */
  notify(paymentId: bigint, ended: Ended): void
  /** Reads, in one statement, which of the awaited payments have ended. */
  poll(): Promise<void>
  /** Wakes all requests with no result. */
  releaseAll(): void
}

const AWAIT = statement(
  'await_payment',
  `update payments set notify_on_completion = true where id = $1 and state in ('held', 'sending') and not notify_on_completion`,
)

/** For each payment. A waiting request takes tens of kilobytes of memory. */
const MAX_WAITERS = 200

type Resolve = (ended: Ended | undefined) => void

/**
 * A payment may end in another instance. A mark on its row makes that instance notify the channel `payment_ended`. A poll
 * every second finds the payments whose notification was lost.
 */
export function makeCompletionWaiters(db: Database, onError: (error: unknown) => void): CompletionWaiters {
  const waiters = new Map<bigint, Set<Resolve>>()
  let listening: Promise<void> | undefined
  let closed = false

  function notify(paymentId: bigint, ended: Ended | undefined): void {
    for (const resolve of waiters.get(paymentId) ?? []) resolve(ended)
    waiters.delete(paymentId)
  }

  async function poll(ids: readonly bigint[] = [...waiters.keys()]): Promise<void> {
    if (ids.length === 0) return
    for (const [id, ended] of await readEnded(db, ids)) notify(id, ended)
  }

  function awaitedIdIn(message: string): bigint[] {
    const id = /^\d{1,19}$/.test(message) ? BigInt(message) : undefined
    return id !== undefined && waiters.has(id) ? [id] : []
  }

  async function requestNotification(paymentId: bigint): Promise<void> {
    listening ??= db.listen('payment_ended', (message) => void poll(awaitedIdIn(message)).catch(onError))
    await listening.catch((error: unknown) => {
      // The next request tries again.
      listening = undefined
      throw error
    })
    await db.query(AWAIT, [paymentId])
    // The payment may have ended before the mark was set.
    await poll([paymentId])
  }

  return {
    notify,
    poll: () => poll(),
    releaseAll() {
      closed = true
      for (const id of waiters.keys()) notify(id, undefined)
    },
    async wait(paymentId, patienceMs, where) {
      if (closed || (waiters.get(paymentId)?.size ?? 0) >= MAX_WAITERS) return undefined
      let timer: NodeJS.Timeout | undefined
      const ended = new Promise<Ended | undefined>((resolve) => {
        const others = waiters.get(paymentId) ?? new Set()
        waiters.set(paymentId, others.add(resolve))
        timer = setTimeout(() => {
          others.delete(resolve)
          if (others.size === 0 && waiters.get(paymentId) === others) waiters.delete(paymentId)
          resolve(undefined)
        }, patienceMs)
      })
      // If this fails, the poll still finds out how the payment ended.
      if (where === 'anywhere') await requestNotification(paymentId).catch(onError)
      return ended.finally(() => clearTimeout(timer))
    },
  }
}
