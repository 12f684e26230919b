import { SignJWT } from 'jose'
import {
  addressOf,
  createTokens,
  LOGIN_TOKEN_SECONDS,
  type CommandName,
  type Tokens,
  type VaspKeys,
} from 'uma-auth-vasp'
import { closeLoginGrant, insertLoginGrant, INSPECTOR_CLIENT } from '../../connections/login-grants'
import type { ConnectionCard } from '../../connections/queries'
import { renameConnection } from '../../connections/service'
import { epochSeconds, type Clock } from '../../platform/clock'
import type { Settings } from '../../platform/config'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import type { Ids } from '../../platform/ids'
import { throwawayKeys } from './throwaway-keys'

/** `working` is the token of an active connection. Every endpoint refuses the other kinds. */
export const MINT_KINDS = ['working', 'expired', 'revoked', 'wrong-audience', 'wrong-key', 'wrong-algorithm'] as const
export type MintKind = (typeof MINT_KINDS)[number]

const CONNECTION_NAME = 'made in the inspector'
/** A forgotten token expires by itself. */
const LIFETIME_SECONDS = 24 * 60 * 60
const INSPECTOR = { clientId: INSPECTOR_CLIENT, name: CONNECTION_NAME, lifetimeSeconds: LIFETIME_SECONDS }
const EXPIRED_SECONDS_AGO = 60

type TokenSubject = Parameters<Tokens['issueLogin']>[0]

export interface MintPorts {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly keys: VaspKeys
  readonly settings: Pick<Settings, 'vaspDomain' | 'publicOrigin' | 'apiBasePath'>
}

interface MintRequest {
  readonly kind: MintKind
  readonly username: string
  readonly sessionId: string
  readonly permissions: readonly CommandName[]
}

/** `status`: of the token exchange, when that is what refused. */
export type Minted = { readonly token: string } | { readonly refused: string; readonly status?: number }

/**
 * Creates a token for the signed-in user. Faulty tokens are signed with a throwaway key. `expired` and `revoked` are signed with
 * the real key, and are no longer valid when they are returned.
 * @param callApi the API of this server.
 * @returns the token, or why none was issued.
 */
export async function mintToken(
  ports: MintPorts,
  request: MintRequest,
  callApi: (request: Request) => Promise<Response>,
): Promise<Minted> {
  if (ports.keys.signing === undefined) return { refused: 'JWT_PRIVATE_KEY is not set.' }
  switch (request.kind) {
    case 'working':
      return connectTool(ports, { ...request, ...INSPECTOR }, callApi)
    case 'expired':
      return { token: await signed(ports, request, ports.ids.uuid(), -EXPIRED_SECONDS_AGO) }
    case 'revoked':
      return { token: await revokedToken(ports, request) }
    case 'wrong-audience':
    case 'wrong-key':
    case 'wrong-algorithm':
      return { token: await faultyToken(ports, request) }
  }
}

interface ToolConnection extends Omit<MintRequest, 'kind'> {
  readonly clientId: string
  readonly name: string
  readonly lifetimeSeconds: number
}

/** Connects as an app does: a login, the token exchange, and a connection that its user can revoke. */
export async function connectTool(
  ports: MintPorts,
  { username: userId, sessionId, permissions, clientId, name, lifetimeSeconds }: ToolConnection,
  callApi: (request: Request) => Promise<Response>,
): Promise<Minted> {
  const { db, clock, ids, settings } = ports
  const id = ids.uuid()
  const login = await tokensOf(ports).issueLogin(subjectOf(ports, id, userId))
  const { expiresAtSeconds } = login
  await insertLoginGrant(db, { id, userId, sessionId, appHost: null, clientId, expiresAtSeconds })
  const response = await callApi(
    new Request(`${settings.publicOrigin}${settings.apiBasePath}/token`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${login.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ permissions, expiration: epochSeconds(clock.now()) + lifetimeSeconds }),
    }),
  )
  await closeLoginGrant(db, id)
  const { token, error = 'no reason' } = (await response.json()) as { token?: string; error?: string }
  const { status } = response
  if (token === undefined) return { refused: `The token exchange answered ${status}: ${error}`, status }
  const claims = await tokensOf(ports).verify(token)
  if (claims !== undefined) await renameConnection(db, claims.id, userId, name)
  return { token }
}

const INSERT_REVOKED = statement(
  'insert_revoked_connection',
  `with login as (
     insert into login_grants (id, user_id, session_id, app_client_id, expires_at, exchanges, closed_at)
     values ($1, $2, $3, $4, now() + make_interval(secs => ${LOGIN_TOKEN_SECONDS}), 1, now())
     returning id, user_id
   )
   insert into connections (id, user_id, login_grant_id, name, permissions, expires_at, revoked_at)
   select $5, user_id, id, '${CONNECTION_NAME}', $6::text[], to_timestamp($7::bigint), now() from login`,
)

/** One statement creates and revokes the connection, so that its token is never valid. */
async function revokedToken(ports: MintPorts, request: MintRequest): Promise<string> {
  const { username, sessionId, permissions } = request
  const [loginId, id] = [ports.ids.uuid(), ports.ids.uuid()]
  const token = await signed(ports, request, id, LIFETIME_SECONDS)
  const expiresAtSeconds = epochSeconds(ports.clock.now()) + LIFETIME_SECONDS
  const params = [loginId, username, sessionId, INSPECTOR_CLIENT, id, permissions, expiresAtSeconds]
  await ports.db.query(INSERT_REVOKED, params)
  return token
}

/** Another token of an active connection, which ends with it. */
export function tokenOf(
  ports: MintPorts,
  userId: string,
  { id, permissions, expiresAt }: Pick<ConnectionCard, 'id' | 'permissions' | 'expiresAt'>,
): Promise<string> {
  const expiresAtSeconds = expiresAt === null ? undefined : epochSeconds(expiresAt)
  return tokensOf(ports).issueConnection({ ...subjectOf(ports, id, userId), scope: permissions, expiresAtSeconds })
}

/** A connection's token, signed with the real key. */
function signed(ports: MintPorts, request: MintRequest, id: string, lifetimeSeconds: number): Promise<string> {
  return tokensOf(ports).issueConnection({
    ...subjectOf(ports, id, request.username),
    scope: request.permissions,
    expiresAtSeconds: epochSeconds(ports.clock.now()) + lifetimeSeconds,
  })
}

/** The claims of a working token, signed with a throwaway key. The audience or the algorithm may be wrong too. */
async function faultyToken(ports: MintPorts, { kind, username, permissions }: MintRequest): Promise<string> {
  const { settings, clock, ids } = ports
  const { userId, id, address } = subjectOf(ports, ids.uuid(), username)
  const unsigned = new SignJWT({
    sub: userId,
    jti: id,
    address,
    token_use: 'connection',
    scope: permissions.join(' '),
    exp: epochSeconds(clock.now()) + LIFETIME_SECONDS,
    iss: settings.vaspDomain,
    aud: kind === 'wrong-audience' ? 'other-vasp.example' : settings.vaspDomain,
  })
  if (kind === 'wrong-algorithm')
    return unsigned.setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(crypto.getRandomValues(new Uint8Array(32)))
  const { privateKey } = await throwawayKeys()
  return unsigned.setProtectedHeader({ alg: 'ES256', typ: 'JWT' }).sign(privateKey)
}

function subjectOf({ settings }: MintPorts, id: string, userId: string): TokenSubject {
  return { id, userId, address: addressOf(userId, settings.vaspDomain) }
}

/** Not the API's own instance, so that these tokens are not added to the API's cache. */
function tokensOf({ keys, settings, clock }: MintPorts): Tokens {
  return createTokens({ keys, domain: settings.vaspDomain, clock })
}
