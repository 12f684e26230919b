import type { Auditor } from '../audit/auditor'
import type { EventRecorder } from '../events/recorder'
import type { HouseAccounts } from '../ledger/accounts'
import type { LightningNode, NodeReport } from '../lightning/node'
import type { OpenedNode } from '../lightning/opened-node'
import { inTime } from '../platform/concurrency/in-time'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import type { RateLimits } from '../platform/http/rate-limits'
import { nodeReport, PATIENCE_MS, refusesWrites } from '../platform/readiness'

/** What a scrape reads from the process and the database. */
export interface Samples {
  readonly openPayments: readonly OpenPayments[]
  readonly queues: Readonly<Record<string, number>>
  readonly connections: Readonly<Record<string, number>>
  /** `ageSeconds` is `Infinity` before the first audit. */
  readonly audit: { readonly isOk: boolean; readonly ageSeconds: number }
  readonly droppedEvents: number
  readonly isDatabaseUp: boolean
  readonly isDatabaseStoring: boolean
  /** Undefined when the database does not answer. So is the next. */
  readonly databaseBytes: number | undefined
  readonly suspenseMsats: number | undefined
  readonly isNodeReady: boolean
  /** Undefined for a node without channels, and while the node does not answer. */
  readonly channels: NodeReport | undefined
  readonly arePeersOk: boolean
}

export interface OpenPayments {
  readonly state: string
  /** The host of a configured peer, or `other`. */
  readonly peer: string
  readonly count: number
  readonly oldestSeconds: number
}

export interface SamplePorts {
  readonly db: Pick<Database, 'query' | 'connections' | 'answers'>
  readonly nodePeers: OpenedNode['peers'] | undefined
  readonly limits: Pick<RateLimits, 'pending'>
  readonly audit: Pick<Auditor, 'state' | 'ageSeconds' | 'peers'>
  readonly node: Pick<LightningNode, 'state' | 'report'>
  readonly house: HouseAccounts
  readonly events: Pick<EventRecorder, 'droppedCount'>
}

/** Reads the pending callbacks through their partial index, also without statistics: `is not null` alone reads the table. */
const CALLBACKS = statement<{ waiting: number }>(
  'metrics_callbacks',
  `select count(*)::int as waiting from uma_callbacks where next_try_at > '-infinity'`,
)

const SIZE = statement<{ bytes: bigint }>(
  'metrics_database_size',
  'select pg_database_size(current_database()) as bytes',
)

/** The account of a house has no stored balance. Only money that needs an operator is booked to this one. */
const SUSPENSE = statement<{ msats: bigint }>(
  'metrics_suspense',
  'select coalesce(sum(amount), 0)::bigint as msats from postings where account_id = $1',
)

interface OpenRow {
  readonly state: string
  readonly node_key: string | null
  readonly count: number
  readonly oldest_seconds: number
}

/** Reads the few open payments through their partial index. */
const OPEN = statement<OpenRow>(
  'metrics_open_payments',
  `select state::text, node_key, count(*)::int as count,
          extract(epoch from now() - min(created_at))::float8 as oldest_seconds
   from payments where state in ('held', 'sending') group by 1, 2`,
)

/** Reads what a scrape shows. If the database does not answer, its part is left out and the process's own counts remain. */
export async function readSamples(ports: SamplePorts): Promise<Samples> {
  const { db, nodePeers = [], limits, audit, node, house, events } = ports
  const [rows, [callbacks], [size], [suspense], nodeState, channels] = await Promise.all([
    db.query(OPEN).catch(() => undefined),
    db.query(CALLBACKS).catch(() => []),
    db.query(SIZE).catch(() => []),
    db.query(SUSPENSE, [house('suspense', 'SAT')]).catch(() => []),
    inTime(node.state(), 'away', PATIENCE_MS),
    nodeReport({ node }),
  ])
  const hosts = new Map(nodePeers.map(({ publicKeyHex, origin }) => [publicKeyHex, new URL(origin).host]))
  return {
    openPayments: sumByPeer(rows ?? [], hosts),
    queues: { ...limits.pending(), ...(callbacks && { callbacks: callbacks.waiting }) },
    connections: { ...db.connections?.() },
    audit: { isOk: audit.state() === 'ok', ageSeconds: audit.ageSeconds() },
    droppedEvents: events.droppedCount(),
    isDatabaseUp: rows !== undefined,
    isDatabaseStoring: rows !== undefined && !refusesWrites(db),
    databaseBytes: size && Number(size.bytes),
    suspenseMsats: suspense && Number(suspense.msats),
    isNodeReady: nodeState === 'ready',
    channels,
    arePeersOk: audit.peers() === 'ok',
  }
}

function sumByPeer(rows: readonly OpenRow[], hosts: ReadonlyMap<string, string>): OpenPayments[] {
  const sums = new Map<string, OpenPayments>()
  for (const { state, node_key: key, count, oldest_seconds: oldest } of rows) {
    const peer = hosts.get(key ?? '') ?? 'other'
    const earlier = sums.get(`${state} ${peer}`)
    sums.set(`${state} ${peer}`, {
      state,
      peer,
      count: count + (earlier?.count ?? 0),
      oldestSeconds: Math.max(oldest, earlier?.oldestSeconds ?? 0),
    })
  }
  return [...sums.values()]
}
