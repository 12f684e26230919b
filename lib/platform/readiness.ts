import type { VaspKeys } from 'uma-auth-vasp'
import { buildInfo, type BuildInfo } from './build-info'
import { inTime } from './concurrency/in-time'
import type { Database } from './db/database'
import { statement } from './db/statement'
import { WRITE_CHECK_SECONDS } from './db/write-check'
import type { Log } from './log'
import { processSingletons } from './process-singletons'

export interface Readiness<Report extends object = object> extends BuildInfo {
  readonly ready: boolean
  readonly checks: Readonly<Record<string, 'ok' | 'failed' | 'missing' | 'review' | 'starting' | 'away' | 'draining'>>
  /** Channels and liquidity of the node, while it reports them. */
  readonly channels?: Report
}

/** Whether a proxy may send requests to this instance. */
export interface Serving {
  readonly serving: boolean
  readonly checks: { readonly database: 'ok' | 'failed'; readonly shutdown: 'ok' | 'draining' }
}

type DatabasePorts = { readonly db: Pick<Database, 'query' | 'answers'>; readonly log: Log }

export interface ReadinessPorts<Report extends object = object> extends DatabasePorts {
  readonly keys: VaspKeys
  readonly audit: { state(): 'ok' | 'failed' | 'missing'; peers(): 'ok' | 'review' }
  readonly node: { state(): Promise<'ready' | 'starting' | 'away'>; readonly report?: () => Promise<Report> }
}

/** Set after the stop signal, while the server still serves and a proxy removes it from rotation. */
export const DRAINING = 'draining'

/** Its session is read-only on a standby, and after a fail-over to a server that accepts no writes. */
const PING = statement<{ read_only: boolean }>(
  'ping',
  `select current_setting('transaction_read_only')::boolean as read_only`,
)
/** A check without an answer after this time has failed. */
export const PATIENCE_MS = 2_000
/** A refused write counts for longer than the time from one write check to the next. */
const REFUSAL_MS = (WRITE_CHECK_SECONDS + 30) * 1_000

/** Whether the database refused lately to store something. */
export function refusesWrites({ answers }: Pick<Database, 'answers'>): boolean {
  const { lastRefusalMs } = answers
  return lastRefusalMs !== undefined && performance.now() - lastRefusalMs < REFUSAL_MS
}

/**
 * For proxies: the database answers, and this instance has received no stop signal. Nothing else counts, because a proxy that
 * finds no instance serving answers nothing at all, and what else may fail leaves sign-in and reading intact.
 */
export async function serving(ports: DatabasePorts): Promise<Serving> {
  const { database } = await databaseChecks(ports)
  const shutdown = shutdownCheck()
  return { serving: database === 'ok' && shutdown === 'ok', checks: { database, shutdown } }
}

/**
 * For people and alerts: whether everything works. The database answers in time and has stored all that it was given lately, the
 * Lightning node answers, both token keys are set, and an audit within the last five minutes found the books balanced. A
 * peer whose totals exceed our records needs an operator, but does not affect other users. A server that has received a stop signal is
 * not ready, although it still serves.
 */
export async function readiness<Report extends object>(ports: ReadinessPorts<Report>): Promise<Readiness<Report>> {
  const [database, node, channels] = await Promise.all([databaseChecks(ports), nodeState(ports), nodeReport(ports)])
  const checks = {
    ...database,
    signingKey: ports.keys.signing !== undefined ? 'ok' : 'missing',
    verificationKey: ports.keys.verification.length > 0 ? 'ok' : 'missing',
    books: ports.audit.state(),
    peers: ports.audit.peers(),
    node,
    shutdown: shutdownCheck(),
  } as const
  const ready = Object.values(checks).every((check) => check === 'ok' || check === 'review')
  return { ready, checks, ...(channels && { channels }), ...buildInfo() }
}

function shutdownCheck(): 'ok' | 'draining' {
  return processSingletons().has(DRAINING) ? 'draining' : 'ok'
}

async function nodeState({ node }: ReadinessPorts): Promise<'ok' | 'starting' | 'away'> {
  const state = await inTime(node.state(), 'away', PATIENCE_MS)
  return state === 'ready' ? 'ok' : state
}

/** What a node with channels reports about them; undefined when it does not answer in time. */
export async function nodeReport<Report extends object>({
  node,
}: {
  readonly node: { readonly report?: () => Promise<Report> }
}): Promise<Report | undefined> {
  const report = node.report?.().catch(() => undefined)
  return report && inTime(report, undefined, PATIENCE_MS)
}

type Check = 'ok' | 'failed'

/**
 * Whether the database answers, and whether it stores. While all connections of the pool are busy, the answer to any other
 * statement shows that it answers. A refused write of any session counts, because sessions may differ after a fail-over.
 */
async function databaseChecks({
  db,
  log,
}: DatabasePorts): Promise<{ readonly database: Check; readonly writing: Check }> {
  const askedMs = performance.now()
  const ping = db.query(PING).then(
    ([row]) => (row?.read_only === false ? 'writable' : 'read-only'),
    (error: unknown) => {
      log.error({ error }, 'the database does not answer')
      return undefined
    },
  )
  const state = await inTime(ping, undefined, PATIENCE_MS)
  const { lastMs = -1 } = db.answers
  const answers = state !== undefined || lastMs >= askedMs
  return {
    database: answers ? 'ok' : 'failed',
    writing: answers && state !== 'read-only' && !refusesWrites(db) ? 'ok' : 'failed',
  }
}
