import { hash as hashOf, type KeyObject } from 'node:crypto'
import { SignJWT, compactVerify, decodeProtectedHeader } from 'jose'
import { z } from 'zod'
import { epochSeconds, type Clock } from '../clock'
import { keepNewest } from '../keep-newest'
import type { JwtKeys } from './jwt-keys'

/** Ten minutes (specification, Limits 1). */
export const LOGIN_TOKEN_SECONDS = 600
/** The last second of the year 9999: a larger `exp` is milliseconds by mistake. */
export const LATEST_EPOCH_SECONDS = 253_402_300_799
/** A gateway keeps the token in a column of 1,024 characters. */
const LONGEST_TOKEN = 1_024
const CACHED_TOKENS = 10_000

export type TokenUse = 'login' | 'connection'

/** What a token says, once its signature and claims hold. Whether it was revoked is the database's word, not the token's. */
export interface TokenClaims {
  readonly use: TokenUse
  readonly id: string
  readonly username: string
  readonly scope: readonly string[]
  readonly expiresAtSeconds: number | undefined
}

export interface Tokens {
  readonly canSign: boolean
  readonly canVerify: boolean
  issueLogin(token: { id: string; username: string; address: string }): Promise<{ token: string; expiresAt: Date }>
  issueConnection(token: {
    id: string
    username: string
    address: string
    scope: readonly string[]
    expiresAtSeconds: number | undefined
  }): Promise<string>
  /** The claims, or undefined for anything that is not a good token of ours. Never throws, never fetches. */
  verify(token: string): Promise<TokenClaims | undefined>
}

const Header = z.strictObject({ alg: z.literal('ES256'), typ: z.literal('JWT').optional() })

const seconds = z.number().int().min(1).max(LATEST_EPOCH_SECONDS)
/** A database text cannot hold NUL, and no name or id of ours holds any control character. */
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
 * Issues and verifies the bearer tokens (specification, Authentication 1 to 6).
 * A verified token is remembered by its hash, so that a busy connection costs one signature check; time is checked at
 * every use. There is no leeway, because gateways give none. No `iat`: a gateway whose clock is behind refuses it.
 */
export function makeTokens(options: { keys: JwtKeys; vaspDomain: string; clock: Clock }): Tokens {
  const { keys, vaspDomain, clock } = options
  const verified = new Map<string, VerifiedToken>()

  function sign(claims: Record<string, unknown>): Promise<string> {
    if (keys.signing === undefined) throw new Error('JWT private key not configured')
    return new SignJWT({ ...claims, iss: vaspDomain, aud: vaspDomain })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
      .sign(keys.signing)
  }

  return {
    canSign: keys.signing !== undefined,
    canVerify: keys.verification.length > 0,
    async issueLogin({ id, username, address }) {
      const exp = epochSeconds(clock.now()) + LOGIN_TOKEN_SECONDS
      const token = await sign({ sub: username, jti: id, address, token_use: 'login', exp })
      return { token, expiresAt: new Date(exp * 1000) }
    },
    async issueConnection({ id, username, address, scope, expiresAtSeconds }) {
      const exp = expiresAtSeconds === undefined ? {} : { exp: expiresAtSeconds }
      const token = await sign({
        sub: username,
        jti: id,
        address,
        token_use: 'connection',
        scope: scope.join(' '),
        ...exp,
      })
      if (token.length >= LONGEST_TOKEN) throw new Error('connection token is too long for a gateway to store')
      return token
    },
    async verify(token) {
      if (token.length > LONGEST_TOKEN * 4) return undefined
      const hash = hashOf('sha256', token, 'base64')
      const known = verified.get(hash) ?? (await verifySignature(token, keys.verification, vaspDomain))
      if (known === undefined) return undefined
      if (!verified.has(hash)) keepNewest(verified, hash, known, CACHED_TOKENS)
      return isCurrent(known, clock) ? known.claims : undefined
    },
  }
}

interface VerifiedToken {
  readonly claims: TokenClaims
  readonly notBeforeSeconds: number
}

/** `ignoreBOM` leaves a byte order mark in the text, where JSON.parse refuses it. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

async function verifySignature(
  token: string,
  keys: readonly KeyObject[],
  vaspDomain: string,
): Promise<VerifiedToken | undefined> {
  for (const key of keys) {
    try {
      // Strict: a header with `kid`, `jku`, `crit` or anything else that we never write is not ours.
      if (!Header.safeParse(decodeProtectedHeader(token)).success) return undefined
      const { payload } = await compactVerify(token, key, { algorithms: ['ES256'] })
      return readClaims(JSON.parse(utf8.decode(payload)), vaspDomain)
    } catch {
      // Not signed by this key, or not a token at all: the next key decides.
    }
  }
  return undefined
}

function readClaims(payload: unknown, vaspDomain: string): VerifiedToken | undefined {
  const owner = z.object({ iss: z.literal(vaspDomain), aud: z.literal(vaspDomain) })
  const parsed = Claims.and(owner).safeParse(payload)
  if (!parsed.success) return undefined
  const { sub, jti, token_use: use, scope, exp, nbf, iat } = parsed.data
  if (use === 'login' && exp === undefined) return undefined
  return {
    claims: { use, id: jti, username: sub, scope: scope === undefined ? [] : scope.split(' '), expiresAtSeconds: exp },
    notBeforeSeconds: Math.max(nbf ?? 0, iat ?? 0),
  }
}

function isCurrent(token: VerifiedToken, clock: Clock): boolean {
  const now = clock.now().getTime() / 1000
  const { expiresAtSeconds } = token.claims
  return token.notBeforeSeconds <= now && (expiresAtSeconds === undefined || now < expiresAtSeconds)
}
