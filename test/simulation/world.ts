import { makeAuditor } from '@/lib/audit/auditor'
import type { Application } from '@/lib/backend/application'
import { NO_EVENTS } from '@/lib/events/recorder'
import type { LightningNode, NodeEvent, SendOutcome, TrackOutcome } from '@/lib/lightning/node'
import { makePaymentWorker } from '@/lib/payments/worker'
import type { Database } from '@/lib/platform/db/database'
import type { Statement } from '@/lib/platform/db/statement'
import type { Log } from '@/lib/platform/log'
import { REMOTE_KEY, START_MS } from './cast'
import { TRANSITIONS, type Effect, type SimulatedDatabase } from './database'
import { makeWatch, type Watch } from './invariants'
import { makeSimulatedNode, PORT_CONSTANTS, type NodePlan, type SimulatedNode } from './node'
import { answerOf, askedBy, carryOut, nameOf, paperOf, type Operation } from './operations'
import { NO_BUG, type PlantedPorts } from './planted-bugs'

// Instances of the payment code over one embedded database and one node, all in this process and in simulated time.
// Each call on a port has two scheduling points: when it takes effect, and when its answer arrives. Between them, and
// before the first, the instance may be killed.

export const FAULTS = [
  /** The instance is killed; its statement was never carried out. */
  'crash before',
  /** The instance is killed; the database or the node carries its call out afterwards. */
  'crash, then done',
  /** The instance is killed before the answer arrives. */
  'crash after',
  /** The connection is lost before the commit. */
  'lost before commit',
  /** The connection is lost after the commit, so the outcome is unknown to the instance. */
  'lost after commit',
  /** SQLSTATE 40001. */
  'conflict',
  /** The instance stands still for longer than its leases last. */
  'pause',
  'clock forward',
  'clock back',
  /** Calls to the node return without an answer. Calls that have not reached the node never reach it. */
  'node restart',
  /** The client repeats its request on the other instance; a node repeats an event. */
  'asked again',
  /** The leases expire, and every instance looks for open payments. */
  'all reconcile',
] as const
export type FaultKind = (typeof FAULTS)[number]

/** The places for faults: what a statement changes, and the node that accepts a send. */
export const PLACES = [...TRANSITIONS, 'node takes'] as const
export type Place = (typeof PLACES)[number]

export interface Fault {
  readonly kind: FaultKind
  readonly at: Place
  /** The fault waits for the first, the second … time that this happens. */
  readonly nth: number
}

export interface WorldPlan {
  readonly database: SimulatedDatabase
  readonly operations: readonly { readonly operation: Operation; readonly on: number }[]
  readonly faults: readonly Fault[]
  readonly node: Omit<NodePlan, 'preimageOf'>
  readonly instances: number
  /** How long a client waits. A worker that finds an older hold gives it up. */
  readonly waitSeconds: number
  readonly trace?: ((line: string) => void) | undefined
  /** A bug between the payment code and its ports. */
  readonly plant?: PlantedPorts | undefined
}

/** Faults after which the database has not carried out the statement. */
const PREVENTS_COMMIT: ReadonlySet<FaultKind> = new Set([
  'crash before',
  'crash, then done',
  'lost before commit',
  'conflict',
])

interface Instance {
  readonly name: string
  readonly slot: number
  readonly app: Application
  dead: boolean
  pausedUntil: number
  readonly listeners: Set<(event: NodeEvent) => Promise<void>>
  readonly ears: ((text: string) => void)[]
}

/** A call on a port. */
interface Call {
  readonly instance: Instance
  readonly label: string
  readonly cause: number | undefined
  /** The latest time at which it reaches the database or the node. */
  readonly deadline: number
  /** Undefined once it took effect. */
  effect: (() => void) | undefined
  /** Undefined until it took effect, and for a call whose caller is gone. */
  reply: (() => void) | undefined
  /** For a call on the node: reports the lost connection to its caller. */
  readonly lost: (() => void) | undefined
  orphan: boolean
}

interface Delivery {
  readonly instance: Instance
  readonly cause: number | undefined
  readonly label: string
  run(): void
}

interface Timer {
  readonly at: number
  readonly instance: Instance
  readonly cause: number | undefined
  readonly run: () => void
}

export interface Action {
  /** Whether the database or the node carries something out. */
  readonly effect?: boolean
  readonly label: string
  /** The instance whose code runs then. */
  readonly instance: Instance | undefined
  readonly cause: number | undefined
  run(): void
}

export interface World {
  readonly database: SimulatedDatabase
  readonly node: SimulatedNode
  readonly watch: Watch
  readonly counts: { steps: number; crashes: number; fired: { readonly kind: FaultKind; readonly at: Place }[] }
  /** The possible next actions, apart from the passing of time. */
  actions(): Action[]
  /** Performs one action, and everything that follows from it inside the instance. */
  perform(action: Action): Promise<void>
  /** Lets time pass until the next timer. */
  wait(): Promise<void>
  crash(slot: number, calls: 'dropped' | 'done later'): boolean
  start(index: number, on?: number): void
  /** Continues in order until nothing is left to do. False when that takes too long. */
  settleDown(patienceMs?: number): Promise<boolean>
  readonly unanswered: () => number
}

const ARRIVES_WITHIN_MS = 20_000
/** Most worlds take a few dozen. A world that takes this many never ends, because no time passes in it. */
const MAX_STEPS = 20_000
/** The name of the error for a world that takes more steps. */
export const NO_REST = 'NoRest'
const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} } as unknown as Log

const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
/**
 * The database sets timers by the clock of this machine. In simulated time, a slow machine would have more of them, and the
 * same schedule would run differently.
 */
function inRealTime<Result>(run: () => Result): Result {
  const { setTimeout, clearTimeout } = globalThis
  Object.assign(globalThis, real)
  try {
    return run()
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout })
  }
}
/**
 * Resolves when every promise that can continue has continued: Node processes its tick queue only when the promise
 * queue is empty. A turn of the event loop would show the same, but makes a system call each time, and nothing here
 * waits for the system.
 */
const drained = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))
/** Yields to the test runner, which a million ticks in a row would block. */
const breath = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

export async function makeWorld(plan: WorldPlan): Promise<World> {
  const { database, plant = NO_BUG } = plan
  const { stage, constants } = database
  await breath()
  database.reset()
  const preimages = new Map(stage.foreign.map(({ hash, preimage }) => [hash, preimage]))
  const node = makeSimulatedNode({ ...plan.node, preimageOf: (hash) => preimages.get(hash) })
  const watch = makeWatch({ books: database.books(), node, stage })

  let nowMs = START_MS
  let skewMs = 0
  let calls: Call[] = []
  let hanging: { readonly call: Call; readonly sendId: bigint; readonly resolve: (outcome: SendOutcome) => void }[] = []
  let deliveries: Delivery[] = []
  const timers = new Map<object, Timer>()
  const instances: Instance[] = []
  const waitingOperations = plan.operations.map((_, index) => index)
  let unanswered = 0
  let bornInstances = 0
  let current: { instance: Instance; cause: number | undefined } | undefined
  let waitingFaults = plan.faults
  const reached = new Map<Place, number>()
  const counts: World['counts'] = { steps: 0, crashes: 0, fired: [] }
  const trace = (line: () => string): void =>
    plan.trace?.(`${((nowMs - START_MS) / 1000).toFixed(1).padStart(6)} s  ${line()}`)

  /** Runs code of an instance until it waits for a port again. */
  async function inside(instance: Instance, cause: number | undefined, run: () => void): Promise<void> {
    current = { instance, cause }
    const setTimer = (callback: () => void, delayMs = 0) => {
      const handle = { unref: () => handle }
      timers.set(handle, { at: nowMs + delayMs, instance, cause: current?.cause, run: callback })
      return handle
    }
    globalThis.setTimeout = setTimer as unknown as typeof setTimeout
    globalThis.clearTimeout = ((handle: object) => void timers.delete(handle)) as unknown as typeof clearTimeout
    try {
      run()
      await drained()
    } finally {
      Object.assign(globalThis, real)
      current = undefined
    }
  }

  function faultAt(place: Place): Fault | undefined {
    const times = (reached.get(place) ?? 0) + 1
    reached.set(place, times)
    return waitingFaults.find((each) => each.at === place && each.nth <= times)
  }

  /**
   * Carries out a fault at its place. A fault without an effect is not counted, and waits for the next opportunity.
   * @param operation the operation of the payment.
   */
  function inflict(fault: Fault, call: Call, operation: number | undefined): void {
    trace(() => `           fault: ${fault.kind} at ${fault.at}`)
    if (!hadEffect(fault.kind, call, operation)) return
    waitingFaults = waitingFaults.filter((each) => each !== fault)
    counts.fired.push({ kind: fault.kind, at: fault.at })
  }

  function hadEffect(kind: FaultKind, call: Call, operation: number | undefined): boolean {
    switch (kind) {
      case 'pause':
        call.instance.pausedUntil = nowMs + 15_000
        return true
      case 'clock forward':
        skewMs += 20_000
        return true
      case 'clock back':
        skewMs -= 4_000
        return true
      case 'node restart': {
        const inProgress = calls.filter((each) => each.lost !== undefined && !each.orphan)
        for (const each of inProgress) {
          each.effect = undefined
          each.reply = each.lost
        }
        const waiting = hanging.splice(0)
        for (const { resolve } of waiting) resolve({ kind: 'unknown' })
        return inProgress.length + waiting.length > 0
      }
      case 'asked again': {
        if (operation === undefined) return false
        start(operation, call.instance.slot + 1)
        return true
      }
      case 'all reconcile':
        skewMs += 7_000
        for (const instance of instances) {
          if (!instance.dead)
            deliveries.push({
              cause: current?.cause,
              instance,
              label: 'reconcile',
              run: () => void instance.app.paymentWorker.reconcile().catch(() => {}),
            })
        }
        return true
      case 'crash before':
      case 'crash, then done':
      case 'crash after':
        return crash(call.instance.slot, 'dropped')
      case 'lost before commit':
      case 'lost after commit':
      case 'conflict':
        return true
    }
  }

  function query(
    instance: Instance,
    statement: Statement,
    params: readonly unknown[],
  ): Promise<Record<string, unknown>[]> {
    return new Promise((resolve, reject) => {
      const run = (commits?: Parameters<SimulatedDatabase['execute']>[3]): Effect =>
        inRealTime(() => database.execute(statement, params, nowMs + skewMs, commits))
      const call = ask(instance, statement.name, () => {
        let fault: Fault | undefined
        let paymentId: unknown
        try {
          const { rows, notifications } = run((transition, changed) => {
            fault = transition === undefined ? undefined : faultAt(transition)
            // A worker may end a payment that another instance began.
            paymentId = transition === 'hold' ? changed[0]?.payment_id : params[0]
            if (transition === 'hold' && call.cause !== undefined) payers.set(paymentId, call.cause)
            return fault === undefined || !PREVENTS_COMMIT.has(fault.kind)
          })
          for (const text of notifications) notify(text)
          call.reply = () => resolve(rows)
        } catch (error) {
          call.reply = () => reject(error)
        }
        const kind = fault?.kind
        if (kind === 'lost before commit' || kind === 'lost after commit')
          call.reply = () =>
            reject(Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' }))
        if (kind === 'conflict')
          call.reply = () =>
            reject(Object.assign(new Error('could not serialize access'), { code: '40001', severity: 'ERROR' }))
        if (kind === 'crash, then done') calls.push({ ...call, orphan: true, effect: () => done(run) })
        if (fault !== undefined) inflict(fault, call, call.cause ?? payers.get(paymentId))
      })
    })
  }

  function done(run: () => Effect): void {
    try {
      for (const text of run().notifications) notify(text)
    } catch {
      // The instance that sent the statement is dead.
    }
  }

  function notify(text: string): void {
    for (const instance of instances)
      for (const ear of instance.ears)
        deliveries.push({ instance, cause: current?.cause, label: `payment_ended ${text}`, run: () => ear(text) })
  }

  function ask(instance: Instance, label: string, effect: () => void, lost?: () => void): Call {
    const call: Call = {
      instance,
      label: `${label} of ${instance.name}`,
      cause: current?.cause,
      deadline: nowMs + ARRIVES_WITHIN_MS,
      effect,
      reply: undefined,
      lost,
      orphan: false,
    }
    // A killed process sends no requests.
    if (!instance.dead) calls.push(call)
    return call
  }

  function send(instance: Instance, payment: Parameters<LightningNode['send']>[0]): Promise<SendOutcome> {
    return new Promise((resolve) => {
      const arrive = (): SendOutcome | 'hangs' => {
        const known = node.sends.has(payment.sendId)
        if (call.cause !== undefined) senders.set(payment.sendId, call.cause)
        const outcome = node.send(payment)
        if (!known && node.sends.has(payment.sendId)) watch.nodeTook(payment, database.payment(payment.sendId))
        return outcome
      }
      const takes = (): void => {
        const fault = faultAt('node takes')
        const kind = fault?.kind
        const never =
          kind === 'crash before' || kind === 'crash, then done' || kind === 'lost before commit' || kind === 'conflict'
        if (kind === 'crash, then done') calls.push({ ...call, orphan: true, effect: () => void arrive() })
        const outcome = never ? ({ kind: 'unknown' } as const) : arrive()
        if (outcome === 'hangs') {
          hanging.push({
            call,
            sendId: payment.sendId,
            resolve: (end) => {
              call.reply = () => resolve(end)
              if (!instance.dead) calls.push(call)
            },
          })
        } else call.reply = () => resolve(kind === 'lost after commit' ? { kind: 'unknown' } : outcome)
        if (fault !== undefined) inflict(fault, call, senders.get(payment.sendId))
      }
      const call = ask(instance, `send ${payment.sendId}`, takes, () => resolve({ kind: 'unknown' }))
    })
  }

  function track(instance: Instance, sendId: bigint): Promise<TrackOutcome> {
    return new Promise((resolve) => {
      const answers = (): void => {
        const outcome = node.track(sendId)
        call.reply = () => resolve(outcome)
      }
      const call = ask(instance, `track ${sendId}`, answers, () => resolve({ kind: 'unknown' }))
    })
  }

  function deliver(instance: Instance, event: NodeEvent): void {
    const label =
      event.kind === 'sent'
        ? `tells: send ${event.sendId} ${event.outcome.kind}`
        : `tells: received ${'paymentHash' in event ? event.paymentHash.slice(0, 6) : ''}`
    for (const listener of instance.listeners) {
      deliveries.push({
        cause: current?.cause,
        instance,
        label,
        // An event that a listener could not book is sent again.
        run: () => void listener(event).catch(() => deliver(instance, event)),
      })
    }
  }

  function tellAll(event: NodeEvent): void {
    for (const instance of instances) if (!instance.dead) deliver(instance, event)
  }

  function born(slot: number): void {
    const name = `instance ${'abcdefghijklmnopqrstuvwxyz'[bornInstances++] ?? bornInstances}`
    const holder: { instance: Instance | undefined } = { instance: undefined }
    const self = (): Instance => {
      if (holder.instance === undefined) throw new Error('the instance has not started yet')
      return holder.instance
    }
    const listeners = new Set<(event: NodeEvent) => Promise<void>>()
    const ears: ((text: string) => void)[] = []
    const db = {
      kind: 'postgres',
      query: (statement: Statement, params: readonly unknown[] = []) => query(self(), statement, params),
      listen: (_channel: string, onMessage: (text: string) => void) => Promise.resolve(void ears.push(onMessage)),
    } as unknown as Database
    const port: LightningNode = {
      ...PORT_CONSTANTS,
      send: (payment) => send(self(), payment),
      track: ({ sendId }) => track(self(), sendId),
      listen(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    }
    const ports = {
      ...constants,
      ...plant.wrap({ db, node: port, rates: constants.rates }),
      log: silent,
      audit: makeAuditor(db, silent, 'here'),
      events: NO_EVENTS,
      ids: { uuid: () => name, secret: () => name },
      clock: { now: () => new Date(nowMs) },
      settings: { paymentWaitSeconds: plan.waitSeconds, maxOpenPaymentsPerUser: 20 },
    } as unknown as Application
    const paymentWorker = makePaymentWorker(ports)
    const instance: Instance = {
      name,
      slot,
      app: { ...ports, paymentWorker },
      dead: false,
      pausedUntil: 0,
      listeners,
      ears,
    }
    holder.instance = instance
    instances[slot] = instance
    // Its first round, and the events that it missed.
    deliveries.push({ instance, cause: current?.cause, label: 'starts', run: () => paymentWorker.keepRunning() })
    for (const event of node.emitted) deliver(instance, event)
  }

  /** Returns false when the instance is already dead. */
  function crash(slot: number, fate: 'dropped' | 'done later'): boolean {
    const instance = instances[slot % instances.length]
    if (instance === undefined || instance.dead) return false
    trace(() => `           ${instance.name} is killed`)
    counts.crashes += 1
    instance.dead = true
    const left = calls.filter((call) => call.instance === instance && call.effect !== undefined)
    calls = calls.filter((call) => call.instance !== instance || call.orphan)
    if (fate === 'done later') for (const call of left) if (!call.orphan) calls.push({ ...call, orphan: true })
    hanging = hanging.filter(({ call }) => call.instance !== instance)
    deliveries = deliveries.filter((each) => each.instance !== instance)
    for (const [handle, timer] of timers) if (timer.instance === instance) timers.delete(handle)
    const cutOff = [...(open.get(instance) ?? [])]
    open.delete(instance)
    born(slot % instances.length)
    for (const [number, index] of cutOff) {
      unanswered -= 1
      watch.noAnswer(number)
      // The client sees a dropped connection, and repeats its request.
      if (!askedAgain.has(index)) start(index, slot + 1)
      askedAgain.add(index)
    }
    return true
  }

  const open = new Map<Instance, Map<number, number>>()
  const askedAgain = new Set<number>()
  /** The operation of each send. */
  const senders = new Map<bigint, number>()
  /** The operation of each payment id. */
  const payers = new Map<unknown, number>()
  let asked = 0

  function start(index: number, on = plan.operations[index]?.on ?? 0): void {
    const operation = plan.operations[index]?.operation
    const instance = instances[on % instances.length]
    if (operation === undefined || instance === undefined) return
    if (operation.kind === 'receive') {
      // One in five has a hash without an invoice of ours.
      const paper = operation.invoice === stage.own.length ? stage.foreign[0] : paperOf(stage, operation)
      if (paper === undefined) return
      const amountMsats = (paper.amountMsats ?? 1_000n) + BigInt(operation.more)
      const earlier = node.emitted.find((each) => each.kind === 'received' && each.paymentHash === paper.hash)
      const event = node.receive({ paymentHash: paper.hash, amountMsats, account: REMOTE_KEY }) ?? earlier
      // Sent twice, as a node may do.
      if (event !== undefined) for (const each of [event, event]) tellAll(each)
      return
    }
    unanswered += 1
    const number = asked++
    const inFlight = open.get(instance) ?? new Map<number, number>()
    open.set(instance, inFlight.set(number, index))
    deliveries.push({
      cause: index,
      instance,
      label: `request ${index}: ${operation.kind} by ${nameOf(stage, operation.who)}`,
      run() {
        watch.asks(number, database.books())
        const answering = async (): Promise<void> => {
          const terms = askedBy(stage, operation)
          const answer = await answerOf(
            terms,
            plant.during(terms, () => carryOut(instance.app, stage, operation)),
          )
          if (instance.dead) return
          inFlight.delete(number)
          unanswered -= 1
          trace(() => `           answer to ${index}: ${describe(answer.result)}`)
          watch.answered(number, answer, database.books())
        }
        void answering()
      },
    })
  }

  const free = (instance: Instance): boolean => instance.pausedUntil <= nowMs

  function actions(): Action[] {
    const found: Action[] = []
    for (const call of calls) {
      if (call.effect !== undefined)
        found.push({
          effect: true,
          label: call.label,
          instance: call.instance,
          cause: call.cause,
          run: () => takeEffect(call),
        })
      else if (call.reply !== undefined && free(call.instance))
        found.push({
          label: `answer: ${call.label}`,
          instance: call.instance,
          cause: call.cause,
          run: () => remove(call, call.reply),
        })
    }
    for (const delivery of deliveries) {
      if (free(delivery.instance))
        found.push({
          label: `${delivery.instance.name}: ${delivery.label}`,
          instance: delivery.instance,
          cause: delivery.cause,
          run() {
            deliveries.splice(deliveries.indexOf(delivery), 1)
            delivery.run()
          },
        })
    }
    for (const sendId of node.inProgress())
      found.push({
        label: `send ${sendId} ends`,
        instance: undefined,
        cause: senders.get(sendId),
        run: () => endSend(sendId),
      })
    for (const index of waitingOperations)
      found.push({
        label: `operation ${index} begins`,
        instance: undefined,
        cause: index,
        run() {
          waitingOperations.splice(waitingOperations.indexOf(index), 1)
          start(index)
        },
      })
    return found
  }

  function takeEffect(call: Call): void {
    const { effect } = call
    call.effect = undefined
    effect?.()
    if (call.orphan) calls.splice(calls.indexOf(call), 1)
    // The answer comes with the outcome.
    else if (call.reply === undefined && calls.includes(call)) calls.splice(calls.indexOf(call), 1)
  }

  function remove(call: Call, reply: (() => void) | undefined): void {
    calls.splice(calls.indexOf(call), 1)
    reply?.()
  }

  function endSend(sendId: bigint): void {
    const event = node.end(sendId)
    const mine = hanging.filter((each) => each.sendId === sendId)
    hanging = hanging.filter((each) => each.sendId !== sendId)
    for (const { resolve } of mine) resolve(node.outcomeOf(sendId))
    tellAll(event)
  }

  const idle: Instance = {
    name: 'no instance',
    slot: -1,
    app: {} as Application,
    dead: true,
    pausedUntil: 0,
    listeners: new Set(),
    ears: [],
  }

  function countStep(): void {
    counts.steps += 1
    if (counts.steps > MAX_STEPS)
      throw Object.assign(new Error(`the world has not come to rest after ${MAX_STEPS} steps`), { name: NO_REST })
  }

  async function perform(action: Action): Promise<void> {
    countStep()
    trace(() => action.label)
    const before = database.version()
    await inside(action.instance ?? idle, action.cause, () => action.run())
    if (database.version() !== before) watch.look(database.books(), action.label)
  }

  async function wait(): Promise<void> {
    let next: [object, Timer] | undefined
    for (const each of timers) {
      const [, timer] = each
      if (next === undefined || due(timer) < due(next[1])) next = each
    }
    const until = next === undefined ? nowMs + 1_000 : due(next[1])
    const late = calls.find((call) => call.effect !== undefined && call.deadline < until)
    if (late !== undefined)
      return perform({
        label: late.label,
        instance: late.instance,
        cause: late.cause,
        run: () => takeEffect(late),
      })
    nowMs = Math.max(nowMs, until)
    if (next === undefined) return
    const [handle, timer] = next
    timers.delete(handle)
    countStep()
    await inside(timer.instance, timer.cause, timer.run)
  }

  function due(timer: Timer): number {
    return Math.max(timer.at, timer.instance.pausedUntil)
  }

  async function settleDown(patienceMs = 200_000): Promise<boolean> {
    const deadline = nowMs + patienceMs
    while (nowMs < deadline) {
      const [first] = actions()
      if (first !== undefined) await perform(first)
      else if (
        unanswered === 0 &&
        // A paused instance may still have to receive events.
        calls.length === 0 &&
        deliveries.length === 0 &&
        database.books().payments.every(({ state }) => state === 'succeeded' || state === 'failed')
      )
        return true
      else await wait()
    }
    return false
  }

  for (let slot = 0; slot < plan.instances; slot++) born(slot)
  return {
    database,
    node,
    watch,
    counts,
    actions,
    perform,
    wait,
    crash,
    start,
    settleDown,
    unanswered: () => unanswered,
  }
}

export function describe(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? `${each}` : each))
}
