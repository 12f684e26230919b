import { COMMANDS, type CommandName } from 'uma-auth-vasp'
import type { Database } from '../platform/db/database'
import { prismaCall } from '../platform/db/prisma-call'
import { statement, type Statement } from '../platform/db/statement'
import { INSPECTOR_CLIENT, REFERENCE_CLIENT } from './login-grants'

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

/** Printable, because text in the database cannot contain NUL. */
export const CONNECTION_ID = /^[\x21-\x7e]{1,64}$/

/** Undefined for a text that cannot be the id of a connection. */
export function readConnectionId(text: string | undefined): string | undefined {
  return text !== undefined && CONNECTION_ID.test(text) ? text : undefined
}

export type ConnectionTab = 'active' | 'ended'

/** A page of a user's connections. */
export interface ConnectionPage {
  readonly connections: readonly ConnectionCard[]
  /** The last connection of this page; null when no older ones follow. */
  readonly olderThan: string | null
}

interface Ports {
  readonly db: Database
}

export const CONNECTIONS_PER_PAGE = 20

/** In the form of the index of active connections. Expiry follows the database's clock, as it does on each call. */
export const IS_ACTIVE = `revoked_at is null and coalesce(expires_at, 'infinity') > now()`
/** In the form of the index of ended connections. */
const ENDED_AT = `coalesce(least(revoked_at, expires_at), 'infinity')`

/** $1: the user. $2: the connection before this page, or null. Another user's connection has no page. $3: the size. */
const PAGES: Readonly<Record<ConnectionTab, { readonly where: string; readonly key: string }>> = {
  active: { where: IS_ACTIVE, key: 'created_at' },
  ended: { where: `${ENDED_AT} <= now()`, key: ENDED_AT },
}

type Row = Omit<ConnectionCard, 'permissions'> & { readonly permissions: readonly string[] }

/** `offset 0` keeps each lookup on its index: without statistics, the planner would read all logins. */
const cardsOf = (found: string): string =>
  `select found.id, found.name, login.app_host as "appHost", login.app_client_id as "clientId", found.permissions,
          found.created_at as "createdAt", found.expires_at as "expiresAt", found.last_used_at as "lastUsedAt",
          found.revoked_at as "revokedAt",
          case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active' end as state
   from (${found}) found
   cross join lateral (select app_host, app_client_id from login_grants where id = found.login_grant_id offset 0) login`

function listOf(tab: ConnectionTab): Statement<Row> {
  const { where, key } = PAGES[tab]
  return statement<Row>(
    `list_${tab}_connections`,
    `${cardsOf(`select * from connections
                where user_id = $1 and ${where}
                  and (${key}, id) < (select ${key}, id from connections where id = $2 and user_id = $1
                                      union all select 'infinity', '' where $2::text is null)
                order by ${key} desc, id desc limit $3`)}
     order by ${key} desc, id desc`,
  )
}
const LISTS = { active: listOf('active'), ended: listOf('ended') }

/** Active connections, the newest first, or ended ones, the last to end first. */
export async function listConnections(
  { db }: Ports,
  username: string,
  { tab, before, size = CONNECTIONS_PER_PAGE }: { tab: ConnectionTab; before?: string | undefined; size?: number },
): Promise<ConnectionPage> {
  const rows = await db.query(LISTS[tab], [username, before ?? null, size + 1])
  const connections = rows.slice(0, size).map(toCard)
  return { connections, olderThan: rows.length > size ? (connections.at(-1)?.id ?? null) : null }
}

/** A connection that the user has made on a page of this server is not news to the user. `user`: SQL. */
export const freshConnectionsOf = (user: string): string =>
  `select fresh.id, fresh.name, fresh."appHost", fresh."createdAt"
   from (${cardsOf(`select * from connections
                    where user_id = ${user} and ${IS_ACTIVE} and created_at > now() - interval '10 minutes'
                    order by created_at desc, id desc limit 20`)}) fresh
   where coalesce(fresh."clientId", '') not in ('${INSPECTOR_CLIENT}', '${REFERENCE_CLIENT}')
   order by fresh."createdAt" desc, fresh.id desc`
const FRESH = statement<FreshConnection>('fresh_connections', freshConnectionsOf('$1'))

const OF_REFERENCE = statement<Row>(
  'connection_of_reference',
  `select * from (${cardsOf(`select * from connections
                             where user_id = $1 and ${IS_ACTIVE} and created_at > now() - interval '1 hour'
                             order by created_at desc, id desc limit 100`)}) recent
   where recent."clientId" = '${REFERENCE_CLIENT}' and recent."appHost" is null
   order by recent."createdAt" desc, recent.id desc limit 1`,
)

/** The active connection that the user's API reference has made in the last hour, which is its lifetime. */
export async function connectionOfReference({ db }: Ports, username: string): Promise<ConnectionCard | undefined> {
  const [row] = await db.query(OF_REFERENCE, [username])
  return row === undefined ? undefined : toCard(row)
}

/** Active connections created in the last ten minutes. Every page that the owner opens shows them, so that a stolen login is noticed. */
export async function freshConnections({ db }: Ports, username: string): Promise<FreshConnection[]> {
  return db.query(FRESH, [username])
}

const FIND = statement<Row>('find_connection', cardsOf('select * from connections where user_id = $1 and id = $2'))

/** One of the user's connections, active or ended. */
export async function findConnectionCard(
  { db }: Ports,
  username: string,
  id: string,
): Promise<ConnectionCard | undefined> {
  return (await db.query(FIND, [username, id])).map(toCard)[0]
}

function toCard(row: Row): ConnectionCard {
  const permissions = COMMANDS.map(({ name }) => name).filter((name) => row.permissions.includes(name))
  return { ...row, permissions }
}

/** An active connection through which an app receives payments. */
export interface ReceivingConnection {
  readonly id: string
  readonly username: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** Whether a command spends the money of the connection's user. */
const SPENDS: Readonly<Record<CommandName, boolean>> = {
  get_info: false,
  get_budget: false,
  get_balance: false,
  make_invoice: false,
  lookup_invoice: false,
  list_transactions: false,
  pay_invoice: true,
  pay_keysend: true,
  lookup_user: false,
  fetch_quote: false,
  execute_quote: true,
  pay_to_address: true,
}
export const PAYING_COMMANDS: readonly CommandName[] = COMMANDS.map(({ name }) => name).filter((name) => SPENDS[name])

const RECEIVING = statement<ReceivingConnection>(
  'list_receiving_connections',
  `select found.id, found.user_id as username, found.created_at as "createdAt", found.last_used_at as "lastUsedAt"
   from unnest($2::text[]) as asked (username)
   cross join lateral (
     select * from connections
     where user_id = asked.username and ${IS_ACTIVE} and permissions @> '{make_invoice}' and not permissions && $3::text[]
     offset 0) found
   cross join lateral (select app_host from login_grants where id = found.login_grant_id offset 0) login
   where login.app_host = $1 order by found.created_at desc, found.id desc limit 20`,
)

/**
 * These users' active connections to the app at this host, newest first: only those that can create invoices and cannot pay.
 * A connection with a pairing URI has no app host, so it is not among them.
 */
export async function listReceivingConnections(
  { db }: Ports,
  appHost: string,
  usernames: readonly string[],
): Promise<ReceivingConnection[]> {
  return db.query(RECEIVING, [appHost, usernames, PAYING_COMMANDS])
}

/** A login token is valid for ten minutes, so older logins need not be read. */
const HAS_OPEN_LOGIN = statement<{ open: boolean }>(
  'has_open_login',
  `select exists (select from login_grants
                  where user_id = $1 and created_at > now() - interval '1 hour' and closed_at is null and expires_at > now()) as open`,
)

/** Whether the user has a valid login token, which could create a connection and may be stolen. */
export async function hasOpenLogin({ db }: Ports, username: string): Promise<boolean> {
  return (await db.query(HAS_OPEN_LOGIN, [username]))[0]?.open === true
}

/** Name and times of one of the user's connections, active or ended; null for any other id. */
export const findConnection = prismaCall('findConnection', ({ connection }, username: string, id: string) =>
  connection.findUnique({
    where: { id, userId: username },
    select: { id: true, name: true, createdAt: true, revokedAt: true },
  }),
)
