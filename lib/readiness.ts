import type { Deps } from './deps'
import type { Statement } from './db/database'
import { processStore } from './once'

export interface Readiness {
  readonly ready: boolean
  readonly checks: Readonly<Record<string, 'ok' | 'failed' | 'missing' | 'review' | 'draining'>>
}

/** In the process store while the server is about to stop and still serves: a proxy takes it out meanwhile. */
export const DRAINING = 'draining'

const PING: Statement = { name: 'ping', text: 'select 1 as answer' }
const PATIENCE_MS = 2_000

/**
 * What has to work for people to be served: the database answers in time, both token
 * keys are there, and the books balanced when they were last looked at, within five minutes. A peer whose books know more than
 * ours is for a person to look at, and stops nobody else. A server that received a stop signal is not ready, though it still serves.
 */
export async function readiness(deps: Pick<Deps, 'db' | 'keys' | 'log' | 'audit'>): Promise<Readiness> {
  const checks = {
    database: (await answersInTime(deps)) ? 'ok' : 'failed',
    signingKey: deps.keys.signing !== undefined ? 'ok' : 'missing',
    verificationKey: deps.keys.verification.length > 0 ? 'ok' : 'missing',
    books: deps.audit.state(),
    peers: deps.audit.peers(),
    shutdown: processStore().has(DRAINING) ? 'draining' : 'ok',
  } as const
  return { ready: Object.values(checks).every((check) => check === 'ok' || check === 'review'), checks }
}

async function answersInTime(deps: Pick<Deps, 'db' | 'log'>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), PATIENCE_MS)))
  const ping = deps.db.query(PING).then(
    () => true,
    (error: unknown) => {
      deps.log.error({ error }, 'the database does not answer')
      return false
    },
  )
  const answered = await Promise.race([ping, late])
  clearTimeout(timer)
  return answered
}
