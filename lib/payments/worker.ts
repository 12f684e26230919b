import type { Deps } from '../deps'
import type { Database } from '../db/database'
import { VaspError } from '../errors'
import { carry, claimDue, renewClaims, resume } from './carry'
import { onNodeEvent } from './node-events'
import type { Ended, OpenPayment, PaymentPorts } from './open-payment'
import { makeWaiting } from './waiting'
import { makeWorkQueue } from '../work-queue'

const EVERY_MS = 1_000
const LEAVING_MS = 30_000
/** Half of the connections to the database. */
const STATEMENTS_AT_ONCE = 5

/** Carries this process's payments to their end, and those that other processes left behind. */
export interface PaymentWorker {
  /** The name under which this process claims payments. */
  readonly name: string
  /** @throws VaspError 503 when the process is about to end. */
  refuseWhenStopping(): void
  /** Sends a payment that was just held in this worker's name. Its end comes in the background. */
  take(payment: OpenPayment): void
  /** The end of a payment, in whatever process it is; undefined when it has not come in time. */
  outcomeOf(paymentId: bigint, patienceMs: number): Promise<Ended | undefined>
  /** One round: whatever nobody acts on any more is taken up. */
  reconcile(): Promise<void>
  /** From now on once a second. */
  keepRunning(): void
  /** Takes nothing more, and ends when what is under way has ended, after 30 s at the latest. */
  stop(): Promise<void>
}

export function makePaymentWorker(given: PaymentPorts & Pick<Deps, 'ids' | 'settings'>): PaymentWorker {
  const ports = { ...given, db: inTurn(given.db) }
  const name = ports.ids.uuid()
  const underWay = new Map<bigint, Promise<void>>()
  const waiting = makeWaiting(ports.db, (error) => ports.log.warn({ error }, 'could not look for ended payments'))
  let stopping = false
  const stopListening = ports.node.listen((event) => onNodeEvent(ports, event, (id) => underWay.has(id)))

  function follow(paymentId: bigint, work: Promise<Ended | undefined>): Promise<void> {
    const done = work
      .catch((error: unknown) => {
        ports.log.error({ error, payment: String(paymentId) }, 'a payment is taken up again later')
        return undefined
      })
      .then((ended) => {
        if (underWay.get(paymentId) === done) underWay.delete(paymentId)
        return ended === undefined ? undefined : waiting.tell(paymentId, ended)
      })
    underWay.set(paymentId, done)
    return done
  }

  async function reconcile(): Promise<void> {
    for (;;) {
      const claimed = stopping ? [] : await claimDue(ports, name, ports.settings.paymentWaitSeconds)
      const free = claimed.filter(({ payment }) => !underWay.has(payment.id))
      if (free.length === 0) return
      const begun = free.map(({ payment, state, stale }) => ({
        state,
        done: follow(payment.id, resume(ports, { payment, state, stale }, name)),
      }))
      // A question is answered soon; what is sent only now may take its time.
      await Promise.all(begun.filter(({ state }) => state === 'sending').map(({ done }) => done))
    }
  }

  /** Again and again until the process stops, a second after the last time. */
  function repeat(work: () => Promise<void>): void {
    const round = async (): Promise<void> => {
      await work().catch((error: unknown) => ports.log.error({ error }, 'open payments could not be looked at'))
      if (!stopping) setTimeout(() => void round(), EVERY_MS).unref()
    }
    void round()
  }

  return {
    name,
    refuseWhenStopping() {
      if (stopping)
        throw new VaspError(503, 'INTERNAL', 'This server is stopping. Try again in a moment.', {
          headers: { 'Retry-After': '5' },
        })
    },
    take: (payment) => void follow(payment.id, carry(ports, payment, name)),
    outcomeOf: (paymentId, patienceMs) =>
      waiting.until(paymentId, patienceMs, underWay.has(paymentId) ? 'here' : 'anywhere'),
    reconcile,
    keepRunning() {
      repeat(reconcile)
      repeat(() => renewClaims(ports, [...underWay.keys()], name))
      repeat(() => waiting.look())
    },
    async stop() {
      stopping = true
      let late: NodeJS.Timeout | undefined
      const patience = new Promise<void>((resolve) => (late = setTimeout(resolve, LEAVING_MS)))
      await Promise.race([Promise.all(underWay.values()), patience])
      clearTimeout(late)
      stopListening()
      waiting.giveUp()
    },
  }
}

/** However many payments end at one moment, their statements leave connections for everybody else. */
function inTurn(db: Database): Database {
  const queue = makeWorkQueue({ atOnce: STATEMENTS_AT_ONCE, mostWaiting: Infinity })
  return { ...db, query: (statement, params) => queue.run(() => db.query<never>(statement, params)) }
}
