import type { Deps } from '../deps'
import { statement } from './db/statement'
import { processSingletons } from './process-singletons'

export interface Readiness {
  readonly ready: boolean
  readonly checks: Readonly<Record<string, 'ok' | 'failed' | 'missing' | 'review' | 'starting' | 'away' | 'draining'>>
}

/** In the process store while the server is about to stop and still serves: a proxy takes it out meanwhile. */
export const DRAINING = 'draining'

const PING = statement<{ answer: number }>('ping', 'select 1 as answer')
const PATIENCE_MS = 2_000

/**
 * What has to work for people to be served: the database and the Lightning node answer in time, both token keys are there, and
 * the books balanced when they were last looked at, within five minutes. A peer whose books know more than
 * ours is for a person to look at, and stops nobody else. A server that received a stop signal is not ready, though it still serves.
 */
export async function readiness(deps: Pick<Deps, 'db' | 'keys' | 'log' | 'audit' | 'node'>): Promise<Readiness> {
  const [database, node] = await Promise.all([answersInTime(deps), nodeState(deps)])
  const checks = {
    database: database ? 'ok' : 'failed',
    signingKey: deps.keys.signing !== undefined ? 'ok' : 'missing',
    verificationKey: deps.keys.verification.length > 0 ? 'ok' : 'missing',
    books: deps.audit.state(),
    peers: deps.audit.peers(),
    node,
    shutdown: processSingletons().has(DRAINING) ? 'draining' : 'ok',
  } as const
  return { ready: Object.values(checks).every((check) => check === 'ok' || check === 'review'), checks }
}

async function nodeState({ node }: Pick<Deps, 'node'>): Promise<'ok' | 'starting' | 'away'> {
  const state = await inTime(node.state(), 'away')
  return state === 'ready' ? 'ok' : state
}

async function answersInTime(deps: Pick<Deps, 'db' | 'log'>): Promise<boolean> {
  const ping = deps.db.query(PING).then(
    () => true,
    (error: unknown) => {
      deps.log.error({ error }, 'the database does not answer')
      return false
    },
  )
  return inTime(ping, false)
}

async function inTime<Answer>(answer: Promise<Answer>, otherwise: Answer): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Answer>((resolve) => (timer = setTimeout(() => resolve(otherwise), PATIENCE_MS)))
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
