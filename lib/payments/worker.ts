import type { Settings } from '../platform/config'
import type { Ids } from '../platform/ids'
import type { Database } from '../platform/db/database'
import { VaspError } from '../platform/errors'
import { carry, claimDue, renewClaims, resume } from './send'
import { askAboutDecided } from './write-off'
import { onNodeEvent } from './node-events'
import type { Ended, OpenPayment, WorkerPorts } from './open-payment'
import { makeWaiting } from './completion-waiters'
import { makeConcurrencyLimiter } from '../platform/concurrency/concurrency-limiter'

const EVERY_MS = 1_000
const LOOK_BACK_EVERY_MS = 60_000
/** At once for each of the node's accounts: a peer of a sandbox node, or the whole of any other node. */
const MOST_QUESTIONS = 20
const LEAVING_MS = 30_000
/** Half of the connections to the database. */
const STATEMENTS_AT_ONCE = 5

/** Carries this process's payments to their end, and those that other processes left behind. */
export interface PaymentWorker {
  /** The name under which this process claims payments. */
  readonly name: string
  /**
   * Work that may hold a payment in this worker's name and hand it over: the worker does not stop before it has ended.
   * @throws VaspError 503 when the process is about to end.
   */
  begin<Result>(work: () => Promise<Result>): Promise<Result>
  /** Sends a payment that was just held in this worker's name. Its end comes in the background. */
  take(payment: OpenPayment): void
  /** The end of a payment, in whatever process it is; undefined when it has not come in time. */
  outcomeOf(paymentId: bigint, patienceMs: number): Promise<Ended | undefined>
  /** One round: whatever nobody acts on any more is taken up. */
  reconcile(): Promise<void>
  /** Asks about payments that a person gave up and whose node is a peer again. */
  lookBack(): Promise<void>
  /** From now on once a second; what a person gave up is asked about once a minute. */
  keepRunning(): void
  /** Takes nothing more, and ends when what is under way has ended, after 30 s at the latest. */
  stop(): Promise<void>
}

type GivenPorts = Omit<WorkerPorts, 'marked' | 'settling'> & {
  readonly ids: Ids
  readonly settings: Pick<Settings, 'paymentWaitSeconds'>
  /** Of the node's events that were booked before this start. */
  readonly cursor?: string | undefined
}

export function makePaymentWorker(given: GivenPorts): PaymentWorker {
  const ports: GivenPorts & WorkerPorts = { ...given, db: inTurn(given.db), marked: new Set(), settling: new Map() }
  const name = ports.ids.uuid()
  const underWay = new Map<bigint, { readonly payment: OpenPayment; readonly done: Promise<void> }>()
  const waiting = makeWaiting(ports.db, (error) => ports.log.warn({ error }, 'could not look for ended payments'))
  /** Those of them that the node is sending, or may be. */
  const sends = new Set<bigint>()
  /** How many questions are pending for each account. */
  const asked = new Map<string, number>()
  /** What may bring a payment more. */
  const beginning = new Set<Promise<unknown>>()
  let stopping = false
  let lookedBackTo = 0n
  const stopListening = ports.node.listen(
    (event) => onNodeEvent(ports, event, (id) => underWay.get(id)?.payment),
    ports.cursor,
  )

  function follow(payment: OpenPayment, work: Promise<Ended | undefined>): Promise<void> {
    const { id } = payment
    const done = work
      .catch((error: unknown) => {
        ports.log.error({ error, payment: String(id) }, 'a payment is taken up again later')
        return undefined
      })
      .then((ended) => {
        if (underWay.get(id)?.done === done) underWay.delete(id)
        return ended === undefined ? undefined : waiting.tell(id, ended)
      })
    underWay.set(id, { payment, done })
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

  /**
   * Takes up what nobody acts on any more, and does not wait for it: a peer that is silent keeps none of the others waiting.
   * Gives the ends of the questions; what is sent only now may take its time.
   */
  async function takeUp(): Promise<Promise<void>[]> {
    const questions: Promise<void>[] = []
    for (;;) {
      const busy = [...asked].filter(([, count]) => count >= MOST_QUESTIONS).map(([account]) => account)
      const claimed = stopping ? [] : await claimDue(ports, name, ports.settings.paymentWaitSeconds, busy)
      const free = claimed.filter(({ payment }) => !underWay.has(payment.id))
      if (free.length === 0) return questions
      for (const each of free) {
        const { payment, state } = each
        if (state === 'held') void send(payment, resume(ports, each, name))
        else
          questions.push(
            follow(
              payment,
              counted(payment.account, () => resume(ports, each, name)),
            ),
          )
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

  async function lookBack(): Promise<void> {
    lookedBackTo = await askAboutDecided(ports, lookedBackTo)
  }

  async function counted<Result>(account: string, ask: () => Promise<Result>): Promise<Result> {
    asked.set(account, (asked.get(account) ?? 0) + 1)
    try {
      return await ask()
    } finally {
      asked.set(account, (asked.get(account) ?? 1) - 1)
    }
  }

  /** Again and again until the process stops, so long after the last time. */
  function repeat(work: () => Promise<void>, everyMs = EVERY_MS): void {
    const round = async (): Promise<void> => {
      await work().catch((error: unknown) => ports.log.error({ error }, 'open payments could not be looked at'))
      // What is still under way when the process stops is kept until it ends.
      if (!stopping || underWay.size > 0) setTimeout(() => void round(), everyMs).unref()
    }
    void round()
  }

  /** Once it is stopping, nothing begins any more. */
  async function allEnded(): Promise<void> {
    await Promise.allSettled(beginning)
    await Promise.all([...underWay.values()].map(({ done }) => done))
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
    take: (payment) => void send(payment, carry(ports, payment, name)),
    outcomeOf: (paymentId, patienceMs) =>
      waiting.until(paymentId, patienceMs, underWay.has(paymentId) ? 'here' : 'anywhere'),
    async reconcile() {
      await Promise.all(await untilEnded(takeUp))
    },
    lookBack,
    keepRunning() {
      ports.log.info({ claimedBy: name }, 'payments are acted on')
      repeat(lookBack, LOOK_BACK_EVERY_MS)
      repeat(async () => void (await untilEnded(takeUp)))
      repeat(() => renewClaims(ports, [...underWay.keys()], name, [...sends]))
      repeat(() => waiting.look())
    },
    async stop() {
      stopping = true
      let late: NodeJS.Timeout | undefined
      const patience = new Promise<void>((resolve) => (late = setTimeout(resolve, LEAVING_MS)))
      await Promise.race([allEnded(), patience])
      clearTimeout(late)
      stopListening()
      waiting.giveUp()
    },
  }
}

/** However many payments end at one moment, their statements leave connections for everybody else. */
function inTurn(db: Database): Database {
  const queue = makeConcurrencyLimiter({ maxConcurrent: STATEMENTS_AT_ONCE, maxQueued: Infinity })
  return { ...db, query: (statement, params) => queue.run(() => db.query(statement, params)) }
}
