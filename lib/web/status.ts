import type { Application } from '../backend/application'
import { IS_ACTIVE } from '../connections/queries'
import { inTime } from '../platform/concurrency/in-time'
import { statement } from '../platform/db/statement'
import { PATIENCE_MS } from '../platform/readiness'

/** How the server is, and how much of the limits a user has used. */
export interface Status extends Used {
  readonly books: 'ok' | 'failed' | 'missing'
  /** Undefined before the first audit. */
  readonly auditedAt: Date | undefined
  readonly node: 'ready' | 'starting' | 'away'
}

interface Used {
  readonly connections: number
  readonly openPayments: number
  /** When an app of the user last called through the gateway. */
  readonly lastCallAt: Date | null
}

/** The newest connections of a user, whose last use counts. */
const MAX_CONNECTIONS_READ = 100

/** $2: the most connections that a user may have, so that no more are counted. */
const USED = statement<Used>(
  'used_quotas',
  `select (select count(*)::int from (select from connections where user_id = $1 and ${IS_ACTIVE} limit $2) active) as connections,
          (select count(*)::int from payments where user_id = $1 and state in ('held', 'sending')) as "openPayments",
          (select max(last_used_at) from (
             select last_used_at from connections where user_id = $1 and revoked_at is null
             order by created_at desc, id desc limit ${MAX_CONNECTIONS_READ}) newest) as "lastCallAt"`,
)

export async function readStatus(
  { db, settings, audit, node, clock }: Pick<Application, 'db' | 'settings' | 'audit' | 'node' | 'clock'>,
  username: string,
): Promise<Status> {
  const [[used], nodeState] = await Promise.all([
    db.query(USED, [username, settings.maxActiveConnectionsPerUser]),
    inTime(node.state(), 'away', PATIENCE_MS),
  ])
  if (used === undefined) throw new Error('used_quotas returned no row')
  const ageSeconds = audit.ageSeconds()
  return {
    ...used,
    books: audit.state(),
    auditedAt: Number.isFinite(ageSeconds) ? new Date(clock.now().getTime() - ageSeconds * 1_000) : undefined,
    node: nodeState,
  }
}
