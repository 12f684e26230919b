import { base64url, compactVerify, decodeProtectedHeader, type CryptoKey } from 'jose'
import * as z from 'zod'
import { ask, DEFAULT_CALLBACK_TIMEOUT_SECONDS, read } from './callbacks.ts'
import { COMMANDS } from './commands.ts'
import { SIGNING_KEY_MISSING } from './errors.ts'
import { isSigner, KEY_ID, type Signer, type VaspKeys } from './keys.ts'
import { checkedOwnClaims, type OwnClaims } from './own-claims.ts'

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
  /** `sub`: the bank's id of the user. */
  readonly userId: string
  /** The UMA address for which the user signed in. Undefined in claims that have none. */
  readonly address?: string | undefined
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
  /** 1 to 255 printable ASCII characters. */
  readonly userId: string
  /** The user's UMA address: `$alice@bank.example`. */
  readonly address: string | undefined
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
  /** Whether a connection token of this user would fit into a gateway's column with every command and an expiry. Signs nothing. */
  fitsConnection(subject: TokenSubject): Promise<boolean>
  /**
   * Never fetches.
   * @returns the claims; undefined for anything that is not a valid token of this VASP.
   * @throws Error only when the clock shows no time.
   */
  verify(token: string): Promise<TokenClaims | undefined>
  /** Like `verify`, but returns the reason for a refusal. */
  check(token: string): Promise<TokenCheck>
}

/** A key id is ignored: each key is tried. Anything else that this VASP never writes, such as `jku` or `crit`, is refused. */
const Header = z.strictObject({
  alg: z.literal('ES256'),
  typ: z.literal('JWT').optional(),
  kid: z.string().regex(KEY_ID).optional(),
})

const seconds = z.number().int().min(1).max(LATEST_EPOCH_SECONDS)
/** The bank's id of a user: a UUID, a number, `auth0|123`. */
export const USER_ID = /^[\x20-\x7e]{1,255}$/
const ADDRESS = /^\$[a-z0-9._+-]{1,63}@[a-z0-9.-]+(:[0-9]{1,5})?$/

/** Whether a text is a UMA address in lower case, at most 255 characters: `$alice@bank.example`. */
export function isAddress(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 255 && ADDRESS.test(text)
}

/** The UMA address of a name: `$alice@bank.example`. */
export function addressOf(name: string, domain: string): string {
  return `$${name}@${domain}`
}

const Claims = z.object({
  sub: z.string().regex(USER_ID),
  // No control characters, because text in a database cannot contain NUL.
  jti: z.string().regex(/^\P{Cc}{1,64}$/u),
  address: z.string().refine(isAddress).optional(),
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
  timeoutSeconds = DEFAULT_CALLBACK_TIMEOUT_SECONDS,
  ownClaims,
}: {
  readonly keys: Pick<VaspKeys, 'signing' | 'verification'>
  readonly domain: string
  readonly clock: Clock
  /** For a key that signs elsewhere. */
  readonly timeoutSeconds?: number | undefined
  readonly ownClaims?: OwnClaims | undefined
}): Tokens {
  const verified = new Map<string, VerifiedToken>()

  const { signing, verification } = keys
  const isElsewhere = isSigner(signing)
  const kid = isElsewhere && signing.kid !== undefined ? { kid: signing.kid } : {}
  const header = { alg: 'ES256', typ: 'JWT', ...kid }

  async function payloadOf(
    use: TokenUse,
    { id, userId, address }: TokenSubject,
    claims: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    const ours = { sub: userId, jti: id, address, token_use: use, ...claims, iss: domain, aud: domain }
    if (ownClaims === undefined) return ours
    const own: unknown = await ask('ownClaims', timeoutSeconds, () => ownClaims({ use, userId, address }))
    return { ...checkedOwnClaims(own), ...ours }
  }

  async function sign(payload: Record<string, unknown>): Promise<string> {
    if (signing === undefined) throw new Error(SIGNING_KEY_MISSING)
    const text = [header, payload].map((part) => base64url.encode(JSON.stringify(part))).join('.')
    const data = new TextEncoder().encode(text)
    const signature = await (isElsewhere ? signElsewhere(signing, data, timeoutSeconds) : signHere(signing, data))
    const token = `${text}.${base64url.encode(signature)}`
    // The wrong key, or an algorithm of its own: no reader would accept the token.
    if (
      isElsewhere &&
      verification.length > 0 &&
      typeof (await verifySignature(token, verification, domain)) === 'string'
    )
      throw new Error('keys.signing.sign answered a signature that none of the verification keys verifies')
    return token
  }

  async function check(token: string): Promise<TokenCheck> {
    if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH * 4) return 'malformed'
    const known = verified.get(token) ?? (await verifySignature(token, verification, domain))
    if (typeof known === 'string') return known
    if (!verified.has(token)) remember(verified, token, known)
    return timeFault(known, clock) ?? known.claims
  }

  return {
    canSign: signing !== undefined,
    canVerify: verification.length > 0,
    async issueLogin(subject) {
      const exp = epochSeconds(clock) + LOGIN_TOKEN_SECONDS
      return { token: await sign(await payloadOf('login', subject, { exp })), expiresAtSeconds: exp }
    },
    async issueConnection({ scope, expiresAtSeconds, ...subject }) {
      const exp = expiresAtSeconds === undefined ? {} : { exp: expiresAtSeconds }
      const token = await sign(await payloadOf('connection', subject, { scope: scope.join(' '), ...exp }))
      if (token.length >= MAX_TOKEN_LENGTH) throw new Error('the connection token is too long for a gateway to store')
      return token
    },
    async fitsConnection(subject) {
      const scope = COMMANDS.map(({ name }) => name).join(' ')
      const payload = await payloadOf('connection', subject, { scope, exp: LATEST_EPOCH_SECONDS })
      const parts = [header, payload].map((part) => encodedLength(JSON.stringify(part)))
      return parts.reduce((sum, length) => sum + length + '.'.length, SIGNATURE_LENGTH) < MAX_TOKEN_LENGTH
    },
    verify: (token) => check(token).then((result) => (typeof result === 'string' ? undefined : result)),
    check,
  }
}

async function signHere(key: CryptoKey, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, data))
}

async function signElsewhere(signer: Signer, data: Uint8Array, timeoutSeconds: number): Promise<Uint8Array> {
  const name = 'keys.signing.sign'
  const signature: unknown = await ask(name, timeoutSeconds, () => signer.sign(data.slice()))
  if (ArrayBuffer.isView(signature) && signature.byteLength === 64)
    return new Uint8Array(signature.buffer, signature.byteOffset, 64)
  throw new Error(`${name} answered no signature of 64 bytes: r and s, not DER`)
}

/** 64 bytes in base64url. */
const SIGNATURE_LENGTH = 86

/** Length of a text in base64url without padding. */
function encodedLength(text: string): number {
  return Math.ceil((new TextEncoder().encode(text).length * 4) / 3)
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
  const { sub, jti, address, token_use: use, scope, exp, nbf, iat } = parsed.data
  if (use === 'login' && exp === undefined) return 'claims'
  return {
    // Claims decide about later calls with the same token too, so no callback can change them.
    claims: Object.freeze({
      use,
      id: jti,
      userId: sub,
      address,
      scope: Object.freeze(scope === undefined ? [] : scope.split(' ')),
      expiresAtSeconds: exp,
    }),
    notBeforeSeconds: Math.max(nbf ?? 0, iat ?? 0),
  }
}

function timeFault({ claims, notBeforeSeconds }: VerifiedToken, clock: Clock): BearerFault | undefined {
  const now = timeOf(clock) / 1000
  if (!(now >= notBeforeSeconds)) return 'early'
  return claims.expiresAtSeconds === undefined || now < claims.expiresAtSeconds ? undefined : 'expired'
}
