import { compactVerify, decodeProtectedHeader, SignJWT, type CryptoKey } from 'jose'
import { z } from 'zod'
import { read } from './callbacks.ts'
import { SIGNING_KEY_MISSING } from './errors.ts'
import type { VaspKeys } from './keys.ts'

/** Lifetime of a login token (specification, Limits 1). */
export const LOGIN_TOKEN_SECONDS = 600
/** The last second of the year 9999: a larger `exp` is in milliseconds by mistake. */
export const LATEST_EPOCH_SECONDS = 253_402_300_799
/** A gateway keeps the token in a column of 1,024 characters. */
const MAX_TOKEN_LENGTH = 1_024
const CACHED_TOKENS = 10_000

/** `login`: the short-lived token of a sign-in. `connection`: the long-lived token of a connection. */
export type TokenUse = 'login' | 'connection'

/** Claims of a token whose signature and claims are valid. The backend decides whether the token was revoked. */
export interface TokenClaims {
  readonly use: TokenUse
  /** `jti`: the id of the login or of the connection. */
  readonly id: string
  /** `sub` */
  readonly userId: string
  /** Command names; empty in a login token. */
  readonly scope: readonly string[]
  readonly expiresAtSeconds: number | undefined
}

/** Source of the current time. Tests pass their own. */
export interface Clock {
  now(): Date
}

/**
 * The time that a clock shows, in milliseconds since 1970.
 * @throws Error when it shows none: a token must not count as valid because nobody knows the time.
 */
export function timeOf(clock: Clock): number {
  // Not `instanceof`: the Date may come from another realm.
  const now: unknown = read('clock.now', () => clock.now())
  const ms: unknown =
    typeof (now as Partial<Date> | null | undefined)?.getTime === 'function' && (now as Date).getTime()
  if (typeof ms === 'number' && Number.isFinite(ms)) return ms
  throw new Error('clock.now answered no valid Date')
}

export function epochSeconds(clock: Clock): number {
  return Math.floor(timeOf(clock) / 1000)
}

/** Why a bearer token is refused, for the operator: the response says `Unauthorized` only. */
export type BearerFault = 'missing' | 'malformed' | 'signature' | 'domain' | 'claims' | 'early' | 'expired' | 'kind'
export type TokenCheck = TokenClaims | BearerFault

export interface TokenSubject {
  readonly id: string
  readonly userId: string
  /** The user's UMA address. */
  readonly address: string
}

export interface Tokens {
  readonly canSign: boolean
  readonly canVerify: boolean
  /** @throws Error without a signing key. */
  issueLogin(subject: TokenSubject): Promise<{ readonly token: string; readonly expiresAtSeconds: number }>
  /** @throws Error without a signing key, or when the token would not fit into a gateway's column. */
  issueConnection(
    subject: TokenSubject & { readonly scope: readonly string[]; readonly expiresAtSeconds: number | undefined },
  ): Promise<string>
  /**
   * Never fetches.
   * @returns the claims; undefined for anything that is not a valid token of this VASP.
   * @throws Error only when the clock shows no time.
   */
  verify(token: string): Promise<TokenClaims | undefined>
  /** Like `verify`, but returns the reason for a refusal. */
  check(token: string): Promise<TokenCheck>
  /** Checks the expiry of claims that need no signature, because the backend has stored them. */
  checkStored(claims: TokenClaims): TokenCheck
}

const Header = z.strictObject({ alg: z.literal('ES256'), typ: z.literal('JWT').optional() })

const seconds = z.number().int().min(1).max(LATEST_EPOCH_SECONDS)
/** No control characters, because text in a database cannot contain NUL. */
const name = z.string().regex(/^\P{Cc}+$/u)
const Claims = z.object({
  sub: name.max(255),
  jti: name.max(64),
  token_use: z.enum(['login', 'connection']),
  scope: z.string().max(512).optional(),
  exp: seconds.optional(),
  nbf: seconds.optional(),
  iat: seconds.optional(),
})

/**
 * Issues and verifies the bearer tokens, ES256 (specification, Resources and Authentication 1 to 6).
 * Verified tokens are cached, so that a busy connection needs only one signature check. Expiry is checked on every call. There is no
 * leeway, because gateways have none. Tokens carry no `iat`: a gateway whose clock is slow would refuse it.
 */
export function createTokens({
  keys,
  domain,
  clock,
}: {
  readonly keys: Pick<VaspKeys, 'signing' | 'verification'>
  readonly domain: string
  readonly clock: Clock
}): Tokens {
  const verified = new Map<string, VerifiedToken>()

  async function sign({ id, userId, address }: TokenSubject, claims: Record<string, unknown>): Promise<string> {
    if (keys.signing === undefined) throw new Error(SIGNING_KEY_MISSING)
    return new SignJWT({ sub: userId, jti: id, address, ...claims, iss: domain, aud: domain })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
      .sign(keys.signing)
  }

  async function check(token: string): Promise<TokenCheck> {
    if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH * 4) return 'malformed'
    const known = verified.get(token) ?? (await verifySignature(token, keys.verification, domain))
    if (typeof known === 'string') return known
    if (!verified.has(token)) remember(verified, token, known)
    return timeFault(known, clock) ?? known.claims
  }

  return {
    canSign: keys.signing !== undefined,
    canVerify: keys.verification.length > 0,
    async issueLogin(subject) {
      const exp = epochSeconds(clock) + LOGIN_TOKEN_SECONDS
      return { token: await sign(subject, { token_use: 'login', exp }), expiresAtSeconds: exp }
    },
    async issueConnection({ scope, expiresAtSeconds, ...subject }) {
      const exp = expiresAtSeconds === undefined ? {} : { exp: expiresAtSeconds }
      const token = await sign(subject, { token_use: 'connection', scope: scope.join(' '), ...exp })
      if (token.length >= MAX_TOKEN_LENGTH) throw new Error('the connection token is too long for a gateway to store')
      return token
    },
    verify: (token) => check(token).then((result) => (typeof result === 'string' ? undefined : result)),
    check,
    checkStored: (claims) => timeFault({ claims, notBeforeSeconds: 0 }, clock) ?? claims,
  }
}

interface VerifiedToken {
  readonly claims: TokenClaims
  readonly notBeforeSeconds: number
}

/** Maps keep insertion order: the first key is the oldest. */
function remember(verified: Map<string, VerifiedToken>, token: string, known: VerifiedToken): void {
  verified.set(token, known)
  const [oldest] = verified.keys()
  if (verified.size > CACHED_TOKENS && oldest !== undefined) verified.delete(oldest)
}

/** `ignoreBOM` leaves a byte order mark in the text, where JSON.parse refuses it. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

async function verifySignature(
  token: string,
  keys: readonly CryptoKey[],
  domain: string,
): Promise<VerifiedToken | BearerFault> {
  let fault: BearerFault = 'malformed'
  for (const key of keys) {
    try {
      // A header with `kid`, `jku`, `crit` or anything else that this VASP never writes is refused.
      if (!Header.safeParse(decodeProtectedHeader(token)).success) return fault
      fault = 'signature'
      const { payload } = await compactVerify(token, key, { algorithms: ['ES256'] })
      return readClaims(JSON.parse(utf8.decode(payload)), domain)
    } catch {
      // Not signed with this key, or not a token at all: try the next key.
    }
  }
  return fault
}

function readClaims(payload: unknown, domain: string): VerifiedToken | BearerFault {
  const owner = z.object({ iss: z.literal(domain), aud: z.literal(domain) })
  const parsed = Claims.and(owner).safeParse(payload)
  if (!parsed.success)
    return parsed.error.issues.some(({ path: [field] }) => field === 'iss' || field === 'aud') ? 'domain' : 'claims'
  const { sub, jti, token_use: use, scope, exp, nbf, iat } = parsed.data
  if (use === 'login' && exp === undefined) return 'claims'
  return {
    claims: { use, id: jti, userId: sub, scope: scope === undefined ? [] : scope.split(' '), expiresAtSeconds: exp },
    notBeforeSeconds: Math.max(nbf ?? 0, iat ?? 0),
  }
}

function timeFault({ claims, notBeforeSeconds }: VerifiedToken, clock: Clock): BearerFault | undefined {
  const now = timeOf(clock) / 1000
  if (!(now >= notBeforeSeconds)) return 'early'
  return claims.expiresAtSeconds === undefined || now < claims.expiresAtSeconds ? undefined : 'expired'
}
