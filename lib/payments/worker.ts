import { makeConcurrencyLimiter } from '../platform/concurrency/concurrency-limiter'
import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import { VaspError } from '../platform/errors'
import type { Ids } from '../platform/ids'
import { namePayment, tracePayment } from '../platform/trace'
import { makeCompletionWaiters } from './completion-waiters'
import { onNodeEvent } from './node-events'
import type { Ended, OpenPayment, WorkerPorts } from './open-payment'
import { claimDue, recoverPayment, renewLeases } from './recover'
import { sendPayment } from './send'
import { trackWrittenOff } from './write-off'

const EVERY_MS = 1_000
const TRACK_WRITTEN_OFF_EVERY_MS = 60_000
/**
 * While an account has this many pending `track` calls, none of its payments is claimed. A simulated node has an account for each
 * peer; any other node has one.
 */
const MAX_TRACKING_PER_ACCOUNT = 20
const STOP_TIMEOUT_MS = 30_000
/** Half of the connections to the database. */
const MAX_CONCURRENT_STATEMENTS = 5

/** Completes outgoing payments: those of this process, and those that other processes left behind. */
export interface PaymentWorker {
  /** Names this process as the owner of a lease. */
  readonly name: string
  /**
   * Runs work that may hold a payment in this worker's name and pass it to `take`. `stop` waits for this work
   * too.
   * @throws VaspError 503 when the process is stopping.
   */
  begin<Result>(work: () => Promise<Result>): Promise<Result>
  /** Sends, in the background, a payment that was just held in this worker's name. */
  take(payment: OpenPayment): void
  /** How a payment of any process ended; undefined when it does not end in time. */
  waitForEnd(paymentId: bigint, patienceMs: number): Promise<Ended | undefined>
  /** Claims all payments whose lease has ended and waits for the node's answers about them. */
  reconcile(): Promise<void>
  /** Asks the node about written-off payments whose account is configured again. */
  trackWrittenOff(): Promise<void>
  /** Reconciles every second from now on, and tracks written-off payments every minute. */
  keepRunning(): void
  /** Claims nothing more, and resolves when the payments in progress have ended, after 30 s at the latest. */
  stop(): Promise<void>
}

type GivenPorts = Omit<WorkerPorts, 'marked' | 'settling'> & {
  readonly ids: Ids
  readonly settings: Pick<Settings, 'paymentWaitSeconds'>
  /** Position in the node's event stream up to which events are booked. */
  readonly cursor?: string | undefined
}

export function makePaymentWorker(given: GivenPorts): PaymentWorker {
  const ports: GivenPorts & WorkerPorts = {
    ...given,
    db: withLimitedStatements(given.db),
    marked: new Set(),
    settling: new Map(),
  }
  const name = ports.ids.uuid()
  const inProgress = new Map<bigint, { readonly payment: OpenPayment; readonly done: Promise<void> }>()
  const waiters = makeCompletionWaiters(ports.db, (error) =>
    ports.log.warn({ error }, 'could not read which payments have ended'),
  )
  /** The payments in progress that the node is sending, or may be sending. */
  const sends = new Set<bigint>()
  /** Pending `track` calls by account. */
  const tracking = new Map<string, number>()
  /** Work that may add a payment. */
  const beginning = new Set<Promise<unknown>>()
  let stopping = false
  let lastTrackedId = 0n
  const stopListening = ports.node.listen(
    (event) => onNodeEvent(ports, event, (id) => inProgress.get(id)?.payment),
    ports.cursor,
  )

  function follow(payment: OpenPayment, work: Promise<Ended | undefined>): Promise<void> {
    const { id } = payment
    const done = work
      .catch((error: unknown) => {
        ports.log.error({ error, payment: String(id) }, 'work on a payment failed and will be retried')
        return undefined
      })
      .then((ended) => {
        if (inProgress.get(id)?.done === done) inProgress.delete(id)
        if (ended === undefined) return undefined
        const { paymentHash } = payment
        ports.log.info({ payment: String(id), paymentHash, state: ended.state }, 'a payment ended')
        return waiters.notify(id, ended)
      })
    inProgress.set(id, { payment, done })
    return done
  }

  function send(payment: OpenPayment, work: Promise<Ended | undefined>): Promise<void> {
    sends.add(payment.id)
    return follow(
      payment,
      work.finally(() => {
        sends.delete(payment.id)
        ports.marked.delete(payment.id)
      }),
    )
  }

  async function track(payment: OpenPayment, work: () => Promise<Ended | undefined>): Promise<void> {
    const { account } = payment
    tracking.set(account, (tracking.get(account) ?? 0) + 1)
    try {
      await follow(payment, work())
    } finally {
      tracking.set(account, (tracking.get(account) ?? 1) - 1)
    }
  }

  /**
   * Claims payments whose lease has ended and continues them in the background, so that a silent peer delays no other
   * payment. Returns the pending `track` calls. Sends may take longer and are not included.
   */
  async function recoverDue(): Promise<Promise<void>[]> {
    const answers: Promise<void>[] = []
    for (;;) {
      const busy = [...tracking].filter(([, count]) => count >= MAX_TRACKING_PER_ACCOUNT).map(([account]) => account)
      const claimed = stopping ? [] : await claimDue(ports, name, ports.settings.paymentWaitSeconds, busy)
      const free = claimed.filter(({ payment }) => !inProgress.has(payment.id))
      if (free.length === 0) return answers
      for (const each of free) {
        const recover = () => tracePayment(each.payment, () => recoverPayment(ports, each, name))
        if (each.state === 'held') void send(each.payment, recover())
        else answers.push(track(each.payment, recover))
      }
    }
  }

  async function untilEnded<Result>(work: () => Promise<Result>): Promise<Result> {
    const begun = work()
    beginning.add(begun)
    try {
      return await begun
    } finally {
      beginning.delete(begun)
    }
  }

  async function trackNextWrittenOff(): Promise<void> {
    lastTrackedId = await trackWrittenOff(ports, lastTrackedId)
  }

  /** Repeats the work until the process stops, `everyMs` after the previous run ended. */
  function repeat(work: () => Promise<void>, everyMs = EVERY_MS): void {
    const run = async (): Promise<void> => {
      await work().catch((error: unknown) => ports.log.error({ error }, 'open payments could not be read'))
      // While the process is stopping, leases are renewed until the payments in progress have ended.
      if (!stopping || inProgress.size > 0) setTimeout(() => void run(), everyMs).unref()
    }
    void run()
  }

  async function allEnded(): Promise<void> {
    await Promise.allSettled(beginning)
    await Promise.all([...inProgress.values()].map(({ done }) => done))
  }

  return {
    name,
    async begin(work) {
      if (stopping)
        throw new VaspError(503, 'INTERNAL', 'This server is stopping. Try again in a moment.', {
          headers: { 'Retry-After': '5' },
        })
      return untilEnded(work)
    },
    take(payment) {
      namePayment(payment)
      void send(payment, sendPayment(ports, payment, name))
    },
    waitForEnd: (paymentId, patienceMs) =>
      waiters.wait(paymentId, patienceMs, inProgress.has(paymentId) ? 'here' : 'anywhere'),
    async reconcile() {
      await Promise.all(await untilEnded(recoverDue))
    },
    trackWrittenOff: trackNextWrittenOff,
    keepRunning() {
      ports.log.info({ leaseOwner: name }, 'payment worker started')
      repeat(trackNextWrittenOff, TRACK_WRITTEN_OFF_EVERY_MS)
      repeat(async () => void (await untilEnded(recoverDue)))
      repeat(() => renewLeases(ports, [...inProgress.keys()], name, [...sends]))
      repeat(() => waiters.poll())
    },
    async stop() {
      stopping = true
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_TIMEOUT_MS)))
      await Promise.race([allEnded(), timeout])
      clearTimeout(timer)
      stopListening()
      waiters.releaseAll()
    },
  }
}

/** Limits concurrent payment statements, so that many payments ending at once leave connections for other work. */
function withLimitedStatements(db: Database): Database {
  const limiter = makeConcurrencyLimiter({ maxConcurrent: MAX_CONCURRENT_STATEMENTS, maxQueued: Infinity })
  return { ...db, query: (statement, params) => limiter.run(() => db.query(statement, params)) }
}
