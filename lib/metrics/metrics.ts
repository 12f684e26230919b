import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { SignInThrottle, Verdict } from '../accounts/sign-in/sign-in-throttle'
import type { EventRecorder } from '../events/recorder'
import { isRequest, type NewEvent } from '../events/types'
import type { NodeReport } from '../lightning/node'
import { buildInfo } from '../platform/build-info'
import type { Answered, RejectionReason } from '../platform/http/http-server'
import type { Samples } from './samples'

/** Counts of one process, in the text format of Prometheus. Each label has a closed set of values. */
export interface Metrics {
  /** Counts each event before it passes it to the recorder. */
  withEvents(recorder: EventRecorder): EventRecorder
  /** Counts each sign-in by its result. */
  withSignIns(throttle: SignInThrottle): SignInThrottle
  /** Counts a request that was rejected before the API's own checks. */
  readonly countRejection: (reason: RejectionReason) => void
  /** Counts a request for a page, and the rejection of any request outside the API. */
  readonly countAnswer: (answered: Answered) => void
  /** The text of a scrape. `samples`: the current values of the process and the database. */
  text(samples: Samples): Promise<string>
  readonly contentType: string
}

const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 240]
const PAYMENT_STATES: Readonly<Record<string, string>> = {
  'payment held': 'held',
  'payment succeeded': 'succeeded',
  'payment failed': 'failed',
}
const SIGN_IN_LABELS: Readonly<Partial<Record<Verdict, string>>> = { right: 'signed in', wrong: 'failed' }

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  const requests = new Counter({
    name: 'vasp_requests_total',
    help: 'Requests by kind, route template and HTTP status; "none" if no answer came.',
    labelNames: ['kind', 'route', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'vasp_request_duration_seconds',
    help: 'Time from the request to its answer.',
    labelNames: ['kind', 'route'],
    buckets: SECONDS_BUCKETS,
    registers,
  })
  const payments = new Counter({
    name: 'vasp_payments_total',
    help: 'Outgoing payments that reached a state in this process.',
    labelNames: ['state', 'method'],
    registers,
  })
  const signIns = new Counter({
    name: 'vasp_sign_ins_total',
    help: 'Sign-ins with a password, by result.',
    labelNames: ['result'],
    registers,
  })
  const rejected = new Counter({
    name: 'vasp_rejected_total',
    help: 'Requests that were rejected, by reason.',
    labelNames: ['reason'],
    registers,
  })
  const gauge = (name: string, help: string, ...labelNames: string[]): Gauge =>
    new Gauge({ name, help, labelNames, registers })
  const openPayments = gauge('vasp_open_payments', 'Payments without a final result.', 'state', 'peer')
  const oldestSending = gauge('vasp_oldest_sending_seconds', 'Age of the oldest payment in state sending.', 'peer')
  const queue = gauge('vasp_queue_length', 'Running and queued work.', 'queue')
  const connections = gauge('vasp_database_connections', 'Connections of the database pool.', 'state')
  const auditOk = gauge('vasp_audit_ok', '1 while the books balance, 0 after a breach or without a recent audit.')
  const auditAge = gauge('vasp_audit_age_seconds', 'Time since the last complete audit.')
  const dropped = gauge('vasp_events_dropped', 'Events of the sandbox pages that were dropped since the start.')
  const databaseUp = gauge('vasp_database_up', '1 when the database answered this scrape.')
  const databaseWrites = gauge(
    'vasp_database_writes',
    '0 when the database does not answer, or lately refused to store.',
  )
  const databaseBytes = gauge('vasp_database_bytes', 'Size of the database on its disk.')
  const nodeReady = gauge('vasp_node_ready', '1 while the Lightning node accepts calls.')
  // Each has a label, because a gauge without one would read 0 for a node without channels.
  const synced = gauge('vasp_node_synced', '1 while the Lightning node has read the chain to its end.', 'to')
  const channels = gauge('vasp_node_channels', 'Channels of the Lightning node.', 'state')
  const liquidity = gauge('vasp_node_liquidity_sats', 'What the active channels can send and receive.', 'direction')
  const inFlight = gauge(
    'vasp_node_payments_in_flight',
    'Payments without a result at the Lightning node.',
    'direction',
  )
  const peersOk = gauge('vasp_peers_ok', '0 while a peer is not paid, because its totals exceed our records.')
  const suspense = gauge('vasp_suspense_msats', 'Balance of the account suspense, which an operator has to review.')
  gauge('vasp_build_info', 'Always 1. The labels name the build that runs.', 'version', 'commit').set(
    { ...buildInfo() },
    1,
  )
  function showChannels(report: NodeReport): void {
    synced.set({ to: 'chain' }, report.isSynced ? 1 : 0)
    channels.set({ state: 'active' }, report.activeChannels)
    channels.set({ state: 'inactive' }, report.inactiveChannels)
    liquidity.set({ direction: 'outbound' }, report.outboundSats)
    liquidity.set({ direction: 'inbound' }, report.inboundSats)
    inFlight.set({ direction: 'outgoing' }, report.paymentsInFlight)
  }

  function count(event: NewEvent): void {
    const { kind, name, status, durationMs } = event
    if (isRequest(kind)) {
      const labels = { kind, route: name }
      requests.inc({ ...labels, status: status ?? 'none' })
      if (durationMs !== undefined) seconds.observe(labels, durationMs / 1_000)
      const reason = kind === 'api_call' || kind === 'token_exchange' ? reasonOf(status) : undefined
      if (reason !== undefined) rejected.inc({ reason })
    }
    const state = kind === 'payment' ? PAYMENT_STATES[name] : undefined
    if (state !== undefined)
      payments.inc({ state, method: event.detail?.facts?.method === 'internal' ? 'internal' : 'lightning' })
  }

  return {
    contentType: registry.contentType,
    countRejection: (reason) => rejected.inc({ reason }),
    countAnswer({ kind, method, status, ms }) {
      if (kind === 'page') {
        const labels = { kind, route: method === 'POST' ? 'form' : 'page' }
        requests.inc({ ...labels, status })
        if (ms !== undefined) seconds.observe(labels, ms / 1_000)
      }
      const reason = reasonOf(status)
      if (reason !== undefined) rejected.inc({ reason })
    },
    withEvents: (recorder) => ({
      ...recorder,
      record(event) {
        count(event)
        recorder.record(event)
      },
    }),
    withSignIns: (throttle) => ({
      async attempt(key, check) {
        const result = await throttle.attempt(key, check)
        const label = typeof result === 'number' ? 'throttled' : SIGN_IN_LABELS[result]
        if (label !== undefined) signIns.inc({ result: label })
        return result
      },
    }),
    text(samples) {
      openPayments.reset()
      oldestSending.reset()
      queue.reset()
      for (const { state, peer, count: open, oldestSeconds } of samples.openPayments) {
        openPayments.set({ state, peer }, open)
        if (state === 'sending') oldestSending.set({ peer }, oldestSeconds)
      }
      for (const [name, length] of Object.entries(samples.queues)) queue.set({ queue: name }, length)
      for (const [state, open] of Object.entries(samples.connections)) connections.set({ state }, open)
      auditOk.set(samples.audit.isOk ? 1 : 0)
      auditAge.set(samples.audit.ageSeconds)
      dropped.set(samples.droppedEvents)
      databaseUp.set(samples.isDatabaseUp ? 1 : 0)
      databaseWrites.set(samples.isDatabaseStoring ? 1 : 0)
      // A value that could not be read is not a number, with which no alert compares.
      databaseBytes.set(samples.databaseBytes ?? NaN)
      suspense.set(samples.suspenseMsats ?? NaN)
      nodeReady.set(samples.isNodeReady ? 1 : 0)
      for (const each of [synced, channels, liquidity, inFlight]) each.reset()
      if (samples.channels !== undefined) showChannels(samples.channels)
      peersOk.set(samples.arePeersOk ? 1 : 0)
      return registry.metrics()
    },
  }
}

/** A 503 is counted where it is decided: a status does not tell an overload from a database that does not answer. */
function reasonOf(status: number | undefined): RejectionReason | undefined {
  if (status === 401 || status === 403) return 'auth'
  return status === 429 ? 'limit' : undefined
}
