import type { Deps } from '../deps'
import { COMMANDS, type CommandName } from '../gateway/commands'

export interface ConnectionCard {
  readonly id: string
  readonly name: string
  /** What the sign-in's redirect_uri revealed about the app; null when the gateway's own site asked. */
  readonly appHost: string | null
  readonly clientId: string | null
  readonly permissions: readonly CommandName[]
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
  readonly state: 'active' | 'expired' | 'revoked'
}

export interface FreshConnection {
  readonly id: string
  readonly name: string
  /** The app's host as the sign-in revealed it: a name can be changed, and a long host is cut in it. */
  readonly appHost: string | null
  readonly createdAt: Date
}

const FRESH_MS = 10 * 60_000
const MOST_LISTED = 200

/** The person's connections, newest first. */
export async function listConnections(deps: Pick<Deps, 'db' | 'clock'>, username: string): Promise<ConnectionCard[]> {
  const rows = await deps.db.prisma.connection.findMany({
    where: { userId: username },
    include: { loginGrant: { select: { appHost: true, appClientId: true } } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: MOST_LISTED,
  })
  const now = deps.clock.now()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    appHost: row.loginGrant.appHost,
    clientId: row.loginGrant.appClientId,
    permissions: COMMANDS.map((command) => command.name).filter((name) => row.permissions.includes(name)),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    lastUsedAt: row.lastUsedAt,
    revokedAt: row.revokedAt,
    state: stateOf(row, now),
  }))
}

/** Connections made in the last ten minutes that still work: a stolen login shows on every page of its owner. */
export async function freshConnections(deps: Pick<Deps, 'db' | 'clock'>, username: string): Promise<FreshConnection[]> {
  const now = deps.clock.now()
  const rows = await deps.db.prisma.connection.findMany({
    where: {
      userId: username,
      revokedAt: null,
      createdAt: { gt: new Date(now.getTime() - FRESH_MS) },
      OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
    },
    select: { id: true, name: true, createdAt: true, loginGrant: { select: { appHost: true } } },
    orderBy: { createdAt: 'desc' },
    take: 20,
  })
  return rows.map(({ id, name, createdAt, loginGrant }) => ({ id, name, createdAt, appHost: loginGrant.appHost }))
}

function stateOf(row: { revokedAt: Date | null; expiresAt: Date | null }, now: Date): ConnectionCard['state'] {
  if (row.revokedAt !== null) return 'revoked'
  return row.expiresAt !== null && row.expiresAt <= now ? 'expired' : 'active'
}
