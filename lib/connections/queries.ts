import type { Clock } from '../platform/clock'
import type { Database } from '../platform/db/database'
import type { Prisma } from '../platform/db/generated/client'
import { COMMANDS, type CommandName, type TokenClaims } from 'uma-auth-vasp'
import { epochSeconds } from '../platform/clock'

export interface ConnectionCard {
  readonly id: string
  readonly name: string
  /** What the sign-in's redirect_uri revealed about the app; null when the request came from the gateway's own site. */
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
  /** The app's host as revealed by the sign-in. The connection's name can be changed, and may contain a truncated host. */
  readonly appHost: string | null
  readonly createdAt: Date
}

/** The user's active and ended connections, each newest first, and whether there are more than are listed. */
export interface Connections {
  readonly active: readonly ConnectionCard[]
  readonly moreActive: boolean
  readonly ended: readonly ConnectionCard[]
  readonly moreEnded: boolean
}

interface Ports {
  readonly db: Database
  readonly clock: Clock
}

const FRESH_MS = 10 * 60_000
export const MAX_ACTIVE = 1_000
export const MAX_ENDED = 200

/** Separate limits, so that an active connection is listed and can be revoked however many have ended since. */
export async function listConnections({ db, clock }: Ports, username: string): Promise<Connections> {
  const now = clock.now()
  const [active, ended] = await Promise.all([
    newestCards(db, now, { userId: username, ...works(now) }, MAX_ACTIVE),
    newestCards(db, now, { userId: username, NOT: works(now) }, MAX_ENDED),
  ])
  return { active: active.cards, moreActive: active.more, ended: ended.cards, moreEnded: ended.more }
}

/** Active connections created in the last ten minutes. Every page that the owner opens shows them, so that a stolen login is noticed. */
export async function freshConnections({ db, clock }: Ports, username: string): Promise<FreshConnection[]> {
  const now = clock.now()
  const rows = await db.prisma.connection.findMany({
    where: {
      userId: username,
      ...works(now),
      createdAt: { gt: new Date(now.getTime() - FRESH_MS) },
    },
    select: { id: true, name: true, createdAt: true, loginGrant: { select: { appHost: true } } },
    orderBy: { createdAt: 'desc' },
    take: 20,
  })
  return rows.map(({ id, name, createdAt, loginGrant }) => ({ id, name, createdAt, appHost: loginGrant.appHost }))
}

/** An active connection through which an app receives payments. */
export interface ReceivingConnection {
  readonly id: string
  readonly username: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** The commands that spend the money of the connection's user. */
export const PAYING_COMMANDS: readonly CommandName[] = ['pay_invoice', 'pay_keysend', 'execute_quote', 'pay_to_address']

/**
 * These users' active connections to the app at this host, newest first: only those that can create invoices and cannot pay.
 * A connection with a pairing URI has no app host, so it is not among them.
 */
export async function listReceivingConnections(
  { db, clock }: Ports,
  appHost: string,
  usernames: readonly string[],
): Promise<ReceivingConnection[]> {
  const rows = await db.prisma.connection.findMany({
    where: {
      ...works(clock.now()),
      userId: { in: [...usernames] },
      loginGrant: { appHost },
      permissions: { has: 'make_invoice' },
      NOT: { permissions: { hasSome: [...PAYING_COMMANDS] } },
    },
    select: { id: true, userId: true, createdAt: true, lastUsedAt: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: 20,
  })
  return rows.map(({ userId: username, ...row }) => ({ ...row, username }))
}

/** Whether the user has a valid login token, which could create a connection and may be stolen. */
export async function hasOpenLogin({ db, clock }: Ports, username: string): Promise<boolean> {
  const open = { userId: username, closedAt: null, expiresAt: { gt: clock.now() } }
  return (await db.prisma.loginGrant.count({ where: open })) > 0
}

function works(now: Date) {
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }
}

async function newestCards(
  db: Database,
  now: Date,
  where: Prisma.ConnectionWhereInput,
  most: number,
): Promise<{ cards: ConnectionCard[]; more: boolean }> {
  const rows = await db.prisma.connection.findMany({
    where,
    include: { loginGrant: { select: { appHost: true, appClientId: true } } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: most + 1,
  })
  const cards = rows.slice(0, most).map((row) => ({
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
  return { cards, more: rows.length > most }
}

function stateOf(row: { revokedAt: Date | null; expiresAt: Date | null }, now: Date): ConnectionCard['state'] {
  if (row.revokedAt !== null) return 'revoked'
  return row.expiresAt !== null && row.expiresAt <= now ? 'expired' : 'active'
}

/** One of the user's connections, active or ended. */
export async function findConnectionCard(
  { db, clock }: Ports,
  username: string,
  id: string,
): Promise<ConnectionCard | undefined> {
  return (await newestCards(db, clock.now(), { userId: username, id }, 1)).cards[0]
}

/** Name and times of one of the user's connections, active or ended; null for any other id. */
export function findConnection(
  db: Database,
  username: string,
  id: string,
): Promise<{ id: string; name: string; createdAt: Date; revokedAt: Date | null } | null> {
  return db.prisma.connection.findFirst({
    where: { id, userId: username },
    select: { id: true, name: true, createdAt: true, revokedAt: true },
  })
}

/**
 * The claims that were issued in the token of one of the user's connections. Undefined for any other id. A revoked or expired
 * connection has claims too: the checks of a call refuse them.
 */
export async function findStoredClaims(db: Database, username: string, id: string): Promise<TokenClaims | undefined> {
  const row = await db.prisma.connection.findFirst({
    where: { id, userId: username },
    select: { id: true, permissions: true, expiresAt: true },
  })
  if (row === null) return undefined
  const expiresAtSeconds = row.expiresAt === null ? undefined : epochSeconds(row.expiresAt)
  return { use: 'connection', id: row.id, userId: username, scope: row.permissions, expiresAtSeconds }
}
