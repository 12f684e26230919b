import type { WalletBackend } from './backend.ts'
import type { Call } from './call.ts'
import { ask, idFrom, wrongAnswer } from './callbacks.ts'
import { alwaysGranted, commandNamed, inTableOrder, type CommandName } from './commands.ts'
import { invalidInput, SIGNING_KEY_MISSING, unauthorized, WalletError } from './errors.ts'
import { readBody, withoutUnset, type ApiRequest } from './request.ts'
import {
  epochSeconds,
  LATEST_EPOCH_SECONDS,
  LOGIN_TOKEN_SECONDS,
  type Clock,
  type TokenClaims,
  type Tokens,
} from './tokens.ts'

export interface ExchangeParts {
  readonly backend: WalletBackend
  readonly tokens: Tokens
  readonly clock: Clock
  readonly newId: (of: 'request' | 'token') => string
  readonly timeoutSeconds: number
}

const MAX_PERMISSIONS = 64
const PERMISSIONS_REQUIRED = 'Permissions are required.'

/**
 * `POST /token`: exchanges a login token for the long-lived token of a stored connection.
 * Order (specification, Errors): token 401, user 404, permissions 400, expiration 400, signing key 500. A body that cannot be read
 * counts as missing permissions.
 */
export async function exchangeToken(
  parts: ExchangeParts,
  request: ApiRequest,
  claims: TokenClaims,
  call: Call,
): Promise<{ readonly token: string }> {
  const { backend, tokens, clock, newId, timeoutSeconds } = parts
  await requireLogin(parts, claims)
  call.check = 'input'
  const body = parseObject(await readBody(request, call))
  const permissions = readPermissions(body.permissions)
  const expiresAtSeconds = readExpiration(body.expiration, epochSeconds(clock))
  call.check = 'work'
  if (!tokens.canSign) throw new WalletError('INTERNAL', SIGNING_KEY_MISSING)
  const { userId, address } = claims
  const id = idFrom(newId, 'token')
  const token = await tokens.issueConnection({ id, userId, address, scope: permissions, expiresAtSeconds })
  const connection = { id, loginId: claims.id, userId, address, permissions, expiresAtSeconds }
  const outcome: unknown = await ask('connections.create', timeoutSeconds, () => backend.connections.create(connection))
  switch (outcome) {
    case 'created':
      call.connectionId = id
      return { token }
    case 'login-closed':
      throw unauthorized()
    case 'login-used-up':
      // The login token has expired by then; the next sign-in starts a new count at once.
      throw new WalletError(
        'RATE_LIMITED',
        'This sign-in has created all the connections it allows. Sign in again for more.',
        { retryAfterSeconds: LOGIN_TOKEN_SECONDS },
      )
    default:
      throw wrongAnswer('connections.create', outcome, 'created, login-closed or login-used-up')
  }
}

async function requireLogin({ backend, timeoutSeconds }: ExchangeParts, claims: TokenClaims): Promise<void> {
  const state: unknown = await ask('logins.find', timeoutSeconds, () => backend.logins.find(claims))
  switch (state) {
    case 'open':
      return
    case 'closed':
      throw unauthorized()
    case 'unknown-user':
      throw new WalletError('NOT_FOUND', `User ${claims.userId} not found.`)
    default:
      throw wrongAnswer('logins.find', state, 'open, closed or unknown-user')
  }
}

function parseObject(text: string): { permissions?: unknown; expiration?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? withoutUnset(value) : {}
  } catch {
    return {}
  }
}

/** Known names, aliases resolved, plus the commands granted to every connection. Unknown names are ignored; 400 if no name is left. */
function readPermissions(raw: unknown): CommandName[] {
  if (!Array.isArray(raw) || raw.length > MAX_PERMISSIONS) throw invalidInput(PERMISSIONS_REQUIRED)
  const known = raw.flatMap((spelling: unknown) => (typeof spelling === 'string' ? (commandNamed(spelling) ?? []) : []))
  if (known.length === 0) throw invalidInput(PERMISSIONS_REQUIRED)
  return inTableOrder(new Set([...known, ...alwaysGranted()]))
}

function readExpiration(raw: unknown, nowSeconds: number): number | undefined {
  if (raw === undefined) return undefined
  if (typeof raw !== 'number' || !Number.isInteger(raw) || raw <= nowSeconds || raw > LATEST_EPOCH_SECONDS)
    throw invalidInput('expiration must be a whole number of seconds since 1970, in the future.')
  return raw
}
