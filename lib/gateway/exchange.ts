import type { TokenClaims } from '../auth/tokens'
import { LATEST_EPOCH_SECONDS, LOGIN_TOKEN_SECONDS } from '../auth/tokens'
import { epochSeconds } from '../clock'
import { MOST_EXCHANGES, insertConnection } from '../connections/create'
import type { Deps } from '../deps'
import { VaspError, badInput, unauthorized } from '../errors'
import { readBody } from '../http/read-body'
import { addressOf } from '../users/address'
import { accountOf } from '../users/account'
import { readBearer } from './bearer'
import type { ApiRequest } from './message'
import { alwaysGranted, commandNamed, inTableOrder, type CommandName } from './commands'

const MOST_PERMISSIONS = 64
const PERMISSIONS_REQUIRED = 'Permissions are required.'

/**
 * `POST /token`: a login token becomes a long-lived token of a stored connection.
 * Order (specification, Errors): JWT 401, user 404, permissions 400, expiration 400, signing key 500. A body that cannot
 * be read counts as missing permissions and is not looked at before the JWT and the user hold.
 */
export async function exchangeToken(deps: Deps, request: ApiRequest): Promise<Exchanged> {
  const claims = await readBearer(request, deps.tokens)
  if (claims.use !== 'login') throw unauthorized()
  deps.limits.takeRequest(claims.id)
  // A person may have many login tokens: together they take no more of the database than the person's calls do.
  return deps.limits.inTurn(claims.username, () => exchange(deps, request, claims))
}

interface Exchanged {
  readonly body: { readonly token: string }
  readonly username: string
  readonly connection: string
}

async function exchange(deps: Deps, request: ApiRequest, claims: TokenClaims): Promise<Exchanged> {
  await requireUser(deps, claims)
  const body = parseObject(await readBody(request))
  const permissions = readPermissions(body.permissions)
  const expiresAtSeconds = readExpiration(body.expiration, epochSeconds(deps.clock.now()))
  if (!deps.tokens.canSign) throw new VaspError(500, 'INTERNAL', 'JWT private key not configured')
  const id = deps.ids.uuid()
  const token = await deps.tokens.issueConnection({
    id,
    username: claims.username,
    address: addressOf(claims.username, deps.settings.vaspDomain),
    scope: permissions,
    expiresAtSeconds,
  })
  const stored = await insertConnection(deps.db, {
    id,
    loginGrantId: claims.id,
    username: claims.username,
    permissions,
    expiresAtSeconds,
  })
  if (!stored) {
    // The login may have been closed a moment ago: then it is no longer good, rather than used up.
    await requireUser(deps, claims)
    // By then the login token has ended. The next sign-in has a count of its own, and may come at once.
    throw new VaspError(
      429,
      'RATE_LIMITED',
      `One sign-in allows ${MOST_EXCHANGES} connections. Sign in again for more.`,
      { headers: { 'Retry-After': String(LOGIN_TOKEN_SECONDS) } },
    )
  }
  return { body: { token }, username: claims.username, connection: id }
}

async function requireUser(deps: Deps, claims: TokenClaims): Promise<void> {
  const account = await accountOf(deps.db, claims.username, claims.id)
  if (account === undefined) throw new VaspError(404, 'NOT_FOUND', `User ${claims.username} not found.`)
  if (account.status !== 'active' || !account.hasGrant) throw unauthorized()
}

function parseObject(text: string): { permissions?: unknown; expiration?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** Known names, aliases folded, plus what every connection may do. Unknown names are ignored; none left is none given. */
function readPermissions(raw: unknown): CommandName[] {
  if (!Array.isArray(raw) || raw.length > MOST_PERMISSIONS) throw badInput(PERMISSIONS_REQUIRED)
  const known = raw.flatMap((spelling: unknown) => (typeof spelling === 'string' ? (commandNamed(spelling) ?? []) : []))
  if (known.length === 0) throw badInput(PERMISSIONS_REQUIRED)
  return inTableOrder(new Set([...known, ...alwaysGranted()]))
}

function readExpiration(raw: unknown, nowSeconds: number): number | undefined {
  if (raw === undefined || raw === null) return undefined
  if (typeof raw !== 'number' || !Number.isInteger(raw) || raw <= nowSeconds || raw > LATEST_EPOCH_SECONDS) {
    throw badInput('expiration must be a whole number of seconds since 1970, in the future.')
  }
  return raw
}
