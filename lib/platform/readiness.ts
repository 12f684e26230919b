import type { VaspKeys } from 'uma-auth-vasp'
import { buildInfo, type BuildInfo } from './build-info'
import type { Database } from './db/database'
import type { Log } from './log'
import { statement } from './db/statement'
import { processSingletons } from './process-singletons'

export interface Readiness extends BuildInfo {
  readonly ready: boolean
  readonly checks: Readonly<Record<string, 'ok' | 'failed' | 'missing' | 'review' | 'starting' | 'away' | 'draining'>>
}

export interface ReadinessPorts {
  readonly db: Database
  readonly keys: VaspKeys
  readonly log: Log
  readonly audit: { state(): 'ok' | 'failed' | 'missing'; peers(): 'ok' | 'review' }
  readonly node: { state(): Promise<'ready' | 'starting' | 'away'> }
}

/** Set after the stop signal, while the server still serves and a proxy removes it from rotation. */
export const DRAINING = 'draining'

const PING = statement<{ answer: number }>('ping', 'select 1 as answer')
/** A check without an answer after this time has failed. */
export const PATIENCE_MS = 2_000

/**
 * Whether the server can serve its users: the database and the Lightning node answer in time, both token keys are set,
 * and an audit within the last five minutes found the books balanced. A peer whose totals exceed our records needs an
 * operator, but does not affect other users. A server that has received a stop signal is not ready, although it still
 * serves.
 */
export async function readiness(ports: ReadinessPorts): Promise<Readiness> {
  const [database, node] = await Promise.all([answersInTime(ports), nodeState(ports)])
  const checks = {
    database: database ? 'ok' : 'failed',
    signingKey: ports.keys.signing !== undefined ? 'ok' : 'missing',
    verificationKey: ports.keys.verification.length > 0 ? 'ok' : 'missing',
    books: ports.audit.state(),
    peers: ports.audit.peers(),
    node,
    shutdown: processSingletons().has(DRAINING) ? 'draining' : 'ok',
  } as const
  const ready = Object.values(checks).every((check) => check === 'ok' || check === 'review')
  return { ready, checks, ...buildInfo() }
}

async function nodeState({ node }: ReadinessPorts): Promise<'ok' | 'starting' | 'away'> {
  const state = await inTime(node.state(), 'away')
  return state === 'ready' ? 'ok' : state
}

async function answersInTime({ db, log }: ReadinessPorts): Promise<boolean> {
  const ping = db.query(PING).then(
    () => true,
    (error: unknown) => {
      log.error({ error }, 'the database does not answer')
      return false
    },
  )
  return inTime(ping, false)
}

/** The answer, or `otherwise` when it does not come in time. */
export async function inTime<Answer>(answer: Promise<Answer>, otherwise: Answer): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Answer>((resolve) => (timer = setTimeout(() => resolve(otherwise), PATIENCE_MS)))
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
