import { createHash, randomBytes } from 'node:crypto'
import { generateSecretKey, getPublicKey } from 'nostr-tools/pure'
import { bytesToHex } from 'nostr-tools/utils'
import { budgetText } from './budget'
import { parameterOf, repeatedParameter } from './oauth-parameters'
import type { Connection, Store } from './store'

const DAY_SECONDS = 86_400
const CODE_SECONDS = 600
const KEY_SECONDS = 30 * DAY_SECONDS
const REFRESH_SECONDS = 120 * DAY_SECONDS
/** Of the refresh tokens of one connection that were exchanged, the newest. A key lasts 30 days, so that this is years of use. */
const KEPT_USED_TOKENS = 50

export interface TokenDeps {
  readonly store: Store
  readonly nowSeconds: () => number
  readonly gatewayPublicKey: string
  readonly relay: string
}

/** A refusal in the format of RFC 6749, section 5.2. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal'
  constructor(
    readonly error: 'invalid_request' | 'invalid_grant' | 'unsupported_grant_type',
    message: string,
  ) {
    super(message)
  }
}

/** A code for one exchange within ten minutes. The public gateway enforces neither limit. */
export function issueCode(
  deps: Pick<TokenDeps, 'store' | 'nowSeconds'>,
  ask: { readonly clientId: string; readonly redirectUri: string; readonly challenge: string },
  connectionId: string,
): string {
  const code = randomBytes(32).toString('base64url')
  deps.store.addCode({
    hash: sha256(code),
    clientId: ask.clientId,
    redirectUri: ask.redirectUri,
    challenge: ask.challenge,
    connectionId,
    expiresAtSeconds: deps.nowSeconds() + CODE_SECONDS,
    used: false,
  })
  return code
}

const FORM_PARAMETERS =
  'grant_type code redirect_uri client_id client_secret code_verifier refresh_token scope token token_type_hint'.split(
    ' ',
  )

/**
 * The form of a request to the token or the revocation endpoint. Its parameters are accepted in the body only, because
 * addresses end up in logs (RFC 6749, section 2.3.1); the query may have others. @throws OAuthRefusal
 */
export function readTokenForm(query: URLSearchParams, body: string): URLSearchParams {
  const misplaced = FORM_PARAMETERS.find((name) => query.has(name))
  if (misplaced !== undefined)
    throw new OAuthRefusal('invalid_request', `${misplaced} is in the URL. Send the parameters in the request body.`)
  const form = new URLSearchParams(body)
  const repeated = repeatedParameter(form)
  if (repeated !== undefined) throw new OAuthRefusal('invalid_request', `${repeated} was sent twice.`)
  return form
}

/** @throws OAuthRefusal */
export function exchangeToken(deps: TokenDeps, form: URLSearchParams): Record<string, unknown> {
  switch (parameterOf(form, 'grant_type')) {
    case 'authorization_code':
      return byCode(deps, form)
    case 'refresh_token':
      return byRefreshToken(deps, form)
    case undefined:
      throw new OAuthRefusal('invalid_request', 'grant_type is missing.')
    default:
      throw new OAuthRefusal('unsupported_grant_type', 'Invalid grant type')
  }
}

function byCode(deps: TokenDeps, form: URLSearchParams): Record<string, unknown> {
  const clientId = need(form, 'client_id')
  const text = need(form, 'code')
  const redirectUri = need(form, 'redirect_uri')
  const verifier = need(form, 'code_verifier')
  const code = deps.store.code(sha256(text))
  if (code === undefined || code.clientId !== clientId)
    throw new OAuthRefusal('invalid_grant', 'Invalid authorization code')
  if (code.redirectUri !== redirectUri) throw new OAuthRefusal('invalid_grant', 'Redirect URI mismatch')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  if (code.challenge !== challenge) throw new OAuthRefusal('invalid_grant', 'Code challenge mismatch')
  if (code.expiresAtSeconds <= deps.nowSeconds())
    throw new OAuthRefusal('invalid_grant', 'The authorization code has expired: it is valid for ten minutes.')
  if (!deps.store.useCode(code.hash)) {
    // Another party may have the code, so the connection of the first exchange ends (RFC 6749, section 4.1.2).
    endConnection(deps, code.connectionId)
    throw new OAuthRefusal('invalid_grant', 'The authorization code was used before. The connection has been ended.')
  }
  if (hasEnded(deps, deps.store.connection(code.connectionId)))
    throw new OAuthRefusal('invalid_grant', 'The connection was ended before the code was exchanged.')
  return issueKey(deps, code.connectionId)
}

function hasEnded(deps: TokenDeps, connection: Connection | undefined): boolean {
  const end = connection?.expiresAtSeconds ?? null
  return end !== null && end <= deps.nowSeconds()
}

function byRefreshToken(deps: TokenDeps, form: URLSearchParams): Record<string, unknown> {
  const clientId = need(form, 'client_id')
  const token = need(form, 'refresh_token')
  const hash = sha256(token)
  const connection = deps.store.connectionWhere((each) => isOfConnection(each, hash))
  if (connection === undefined || connection.clientApp?.clientId !== clientId)
    throw new OAuthRefusal('invalid_grant', 'Invalid refresh token')
  if (connection.refreshHash !== hash) {
    // Two parties have had the token, and the app may not be the one that exchanged it (RFC 9700, section 4.14.2).
    endConnection(deps, connection.id)
    throw new OAuthRefusal('invalid_grant', 'The refresh token was used before. The connection has been ended.')
  }
  const now = deps.nowSeconds()
  if (connection.refreshExpiresAtSeconds !== null && connection.refreshExpiresAtSeconds <= now)
    throw new OAuthRefusal('invalid_grant', 'Refresh token expired')
  if (connection.expiresAtSeconds !== null && connection.expiresAtSeconds <= now)
    throw new OAuthRefusal('invalid_grant', 'Connection expired')
  return issueKey(deps, connection.id)
}

/** Whether this is the hash of the connection's refresh token, or of one that was exchanged for it. */
function isOfConnection({ refreshHash, usedRefreshHashes = [] }: Connection, hash: string): boolean {
  return refreshHash === hash || usedRefreshHashes.includes(hash)
}

/** RFC 7009: ends the connection of a refresh token or of an access key. An unknown token is not an error; a missing one is. */
export function revokeToken(deps: TokenDeps, form: URLSearchParams): void {
  const token = need(form, 'token')
  const hash = sha256(token)
  const publicKey = /^[0-9a-f]{64}$/.test(token) ? publicKeyOf(token) : undefined
  const connection = deps.store.connectionWhere(
    (each) => isOfConnection(each, hash) || (publicKey !== undefined && each.appPublicKey === publicKey),
  )
  if (connection !== undefined) endConnection(deps, connection.id)
}

/** The app's key and refresh token stop working at once; its payments stay on the page. The VASP is not notified. */
export function endConnection(deps: Pick<TokenDeps, 'store' | 'nowSeconds'>, id: string): void {
  const now = deps.nowSeconds()
  deps.store.change(id, (connection) => ({
    refreshHash: null,
    usedRefreshHashes: [],
    expiresAtSeconds: Math.min(connection.expiresAtSeconds ?? now, now),
  }))
}

/** A new key and refresh token; the old ones stop working at once. */
function issueKey(deps: TokenDeps, connectionId: string): Record<string, unknown> {
  const now = deps.nowSeconds()
  const secret = generateSecretKey()
  const refresh = randomBytes(32).toString('base64url')
  const connection = deps.store.change(connectionId, (each) => ({
    appPublicKey: getPublicKey(secret),
    keyExpiresAtSeconds: earlier(now + KEY_SECONDS, each.expiresAtSeconds),
    refreshHash: sha256(refresh),
    ...(each.refreshHash === null
      ? {}
      : { usedRefreshHashes: [...(each.usedRefreshHashes ?? []), each.refreshHash].slice(-KEPT_USED_TOKENS) }),
    refreshExpiresAtSeconds: earlier(now + REFRESH_SECONDS, each.expiresAtSeconds),
  }))
  if (connection === undefined) throw new OAuthRefusal('invalid_grant', 'The connection no longer exists.')
  return {
    access_token: bytesToHex(secret),
    refresh_token: refresh,
    expires_in: (connection.keyExpiresAtSeconds ?? now) - now,
    token_type: 'Bearer',
    nwc_connection_uri: pairingUri(deps, connection, secret),
    budget: budgetText(connection.limit, connection.currency.code),
    commands: connection.permissions,
    nwc_expires_at: connection.expiresAtSeconds,
    uma_address: connection.address,
  }
}

/** A key for a manual connection without an expiry. Only its public key is stored. */
export function pairManually(deps: TokenDeps, connection: Connection): string {
  const secret = generateSecretKey()
  deps.store.change(connection.id, () => ({ appPublicKey: getPublicKey(secret) }))
  return pairingUri(deps, connection, secret)
}

/**
 * Values are percent-encoded: a raw `+` or `&` in an address would be read as another one. The public gateway writes them
 * raw.
 */
function pairingUri(deps: TokenDeps, connection: Connection, secret: Uint8Array): string {
  const relay = encodeURIComponent(deps.relay)
  const lud16 = encodeURIComponent(connection.address)
  return `nostr+walletconnect://${deps.gatewayPublicKey}?relay=${relay}&lud16=${lud16}&secret=${bytesToHex(secret)}`
}

function publicKeyOf(secretHex: string): string | undefined {
  try {
    return getPublicKey(Buffer.from(secretHex, 'hex'))
  } catch {
    return undefined
  }
}

function need(form: URLSearchParams, name: string): string {
  const value = parameterOf(form, name)
  if (value === undefined) throw new OAuthRefusal('invalid_request', `${name} is missing.`)
  return value
}

function earlier(a: number, b: number | null): number {
  return b === null ? a : Math.min(a, b)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
