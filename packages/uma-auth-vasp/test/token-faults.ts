import { createPrivateKey, createPublicKey, sign as signBytes, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { newKeyPair, newRsaKey } from './key-pair'

/** A fault of a bearer token, created from the claims of a valid one. */
export interface TokenFault {
  readonly why: string
  readonly make: (good: GoodToken) => Promise<string> | string
}

export interface GoodToken {
  readonly claims: Readonly<Record<string, unknown>>
  readonly privatePem: string
  readonly publicPem: string
  readonly domain: string
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs any claims with any header, for the faulty tokens and the valid one. */
export function signAny(
  claims: unknown,
  privatePem: string,
  header: Record<string, unknown> = { alg: 'ES256', typ: 'JWT' },
): string {
  const signed = `${encode(header)}.${typeof claims === 'string' ? Buffer.from(claims).toString('base64url') : encode(claims)}`
  const signature = signBytes('sha256', Buffer.from(signed), {
    key: createPrivateKey(privatePem),
    dsaEncoding: 'ieee-p1363',
  })
  return `${signed}.${signature.toString('base64url')}`
}

const withClaims =
  (changes: Record<string, unknown>) =>
  ({ claims, privatePem }: GoodToken): string =>
    signAny({ ...claims, ...changes }, privatePem)

const withHeader =
  (changes: Record<string, unknown>) =>
  ({ claims, privatePem }: GoodToken): string =>
    signAny(claims, privatePem, { alg: 'ES256', typ: 'JWT', ...changes })

const withAlgorithm = (alg: string, key: (good: GoodToken) => KeyObject | Uint8Array) => (good: GoodToken) =>
  new SignJWT({ ...good.claims }).setProtectedHeader({ alg, typ: 'JWT' }).sign(key(good))

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

/** Faults that every reader of our tokens refuses, gateways included. */
export const TOKEN_FAULTS: readonly TokenFault[] = [
  { why: 'no dots', make: () => 'hello' },
  { why: 'three empty parts', make: () => '..' },
  { why: 'no signature', make: ({ claims }) => `${encode({ alg: 'none' })}.${encode(claims)}.` },
  { why: 'the algorithm none and a signature', make: withHeader({ alg: 'none' }) },
  {
    why: 'HS256 and the public key as the secret',
    make: withAlgorithm('HS256', ({ publicPem }) => Buffer.from(publicPem)),
  },
  { why: 'RS256', make: withAlgorithm('RS256', () => createPrivateKey(newRsaKey())) },
  { why: 'ES384', make: withAlgorithm('ES384', () => createPrivateKey(newKeyPair('P-384').privatePem)) },
  {
    why: 'ES256K',
    make: ({ claims }) => signAny(claims, newKeyPair('secp256k1').privatePem, { alg: 'ES256K', typ: 'JWT' }),
  },
  { why: 'ES256K in the header only', make: withHeader({ alg: 'ES256K' }) },
  { why: 'the algorithm in lower case', make: withHeader({ alg: 'es256' }) },
  { why: 'no algorithm', make: withHeader({ alg: undefined }) },
  { why: 'an empty list of critical extensions', make: withHeader({ crit: [] }) },
  {
    why: 'its own public key in the header, and a signature by that key',
    make: ({ claims }) => {
      const own = newKeyPair()
      const jwk = createPublicKey(own.publicPem).export({ format: 'jwk' })
      return signAny(claims, own.privatePem, { alg: 'ES256', typ: 'JWT', jwk })
    },
  },
  { why: 'a list as the algorithm', make: withHeader({ alg: ['ES256'] }) },
  { why: 'a key in the header', make: withHeader({ jwk: { kty: 'EC' } }) },
  { why: 'a key URL in the header', make: withHeader({ jku: 'http://127.0.0.1:1/keys' }) },
  { why: 'a certificate URL in the header', make: withHeader({ x5u: 'http://127.0.0.1:1/cert' }) },
  { why: 'a key id that is a path', make: withHeader({ kid: '../../etc/passwd' }) },
  { why: 'critical extensions', make: withHeader({ crit: ['exp'], b64: false }) },
  { why: 'another key', make: ({ claims }) => signAny(claims, newKeyPair().privatePem) },
  {
    why: 'a signature of zeros',
    make: (good) =>
      `${signAny(good.claims, good.privatePem).split('.').slice(0, 2).join('.')}.${Buffer.alloc(64).toString('base64url')}`,
  },
  {
    why: 'a DER signature',
    make: ({ claims, privatePem }) => {
      const signed = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`
      return `${signed}.${signBytes('sha256', Buffer.from(signed), privatePem).toString('base64url')}`
    },
  },
  { why: 'a truncated signature', make: (good) => signAny(good.claims, good.privatePem).slice(0, -8) },
  {
    why: 'the signature of another body',
    make: ({ claims, privatePem }) => {
      const [header, , signature] = signAny(claims, privatePem).split('.')
      return `${header}.${encode({ ...claims, sub: 'bob' })}.${signature}`
    },
  },
  { why: 'claims that are not JSON', make: ({ privatePem }) => signAny('{', privatePem) },
  { why: 'claims that are a list', make: ({ privatePem }) => signAny([], privatePem) },
  { why: 'exp a second ago', make: withClaims({ exp: inSeconds(-1) }) },
  { why: 'exp in the current second', make: withClaims({ exp: inSeconds(0) }) },
  { why: 'exp zero', make: withClaims({ exp: 0 }) },
  { why: 'exp below zero', make: withClaims({ exp: -1 }) },
  { why: 'exp null', make: withClaims({ exp: null }) },
  { why: 'nbf as text', make: withClaims({ nbf: '0' }) },
  { why: 'exp in milliseconds', make: withClaims({ exp: inSeconds(600) * 1000 }) },
  { why: 'exp as text', make: withClaims({ exp: String(inSeconds(600)) }) },
  {
    why: 'exp too large for any date',
    make: ({ claims, privatePem }) => signAny(JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e308'), privatePem),
  },
  { why: 'nbf tomorrow', make: withClaims({ nbf: inSeconds(86_400) }) },
  { why: 'iat tomorrow', make: withClaims({ iat: inSeconds(86_400) }) },
  { why: 'another audience', make: withClaims({ aud: 'other.example' }) },
  {
    why: 'a list of audiences that includes ours',
    make: (good) => withClaims({ aud: [good.domain, 'other.example'] })(good),
  },
  { why: 'no audience', make: withClaims({ aud: undefined }) },
  { why: 'another issuer', make: withClaims({ iss: 'other.example' }) },
  { why: 'the issuer with a scheme', make: (good) => withClaims({ iss: `http://${good.domain}` })(good) },
  { why: 'the issuer with a trailing dot', make: (good) => withClaims({ iss: `${good.domain}.` })(good) },
  { why: 'the issuer in upper case', make: (good) => withClaims({ iss: good.domain.toUpperCase() })(good) },
  { why: 'no issuer', make: withClaims({ iss: undefined }) },
  { why: 'no user', make: withClaims({ sub: undefined }) },
  { why: 'an empty user', make: withClaims({ sub: '' }) },
  { why: 'a number as the user', make: withClaims({ sub: 1 }) },
  { why: 'a user of 300 characters', make: withClaims({ sub: 'a'.repeat(300) }) },
  { why: 'a list as the user', make: withClaims({ sub: ['alice'] }) },
  { why: 'a list of issuers', make: (good) => withClaims({ iss: [good.domain] })(good) },
  { why: 'no token_use', make: withClaims({ token_use: undefined }) },
  { why: 'an unknown token_use', make: withClaims({ token_use: 'admin' }) },
  { why: 'no jti', make: withClaims({ jti: undefined }) },
  { why: 'one part too many', make: (good) => `${signAny(good.claims, good.privatePem)}.x` },
  {
    why: 'a signature of twice the length',
    make: (good) => `${signAny(good.claims, good.privatePem)}${'A'.repeat(86)}`,
  },
]

/** Faults in our own claims, and ones that only our stricter reader refuses. A gateway need not refuse these. */
export const OUR_TOKEN_FAULTS: readonly TokenFault[] = [
  ...TOKEN_FAULTS,
  { why: 'another typ', make: withHeader({ typ: 'at+jwt' }) },
  { why: 'a payload that is not encoded', make: withHeader({ b64: false }) },
  {
    why: 'a byte order mark before its claims',
    make: (good) => signAny(`\ufeff${JSON.stringify(good.claims)}`, good.privatePem),
  },
  { why: 'exp with a fraction', make: withClaims({ exp: inSeconds(600) + 0.5 }) },
  { why: 'a list as token_use', make: withClaims({ token_use: ['login'] }) },
  { why: 'a list as the scope', make: withClaims({ scope: ['get_info'] }) },
  { why: 'a NUL in the user', make: withClaims({ sub: 'ali\0ce' }) },
  { why: 'a NUL in the jti', make: withClaims({ jti: 'a\0b' }) },
  { why: 'a jti of 65 characters', make: withClaims({ jti: 'a'.repeat(65) }) },
  {
    why: 'five thousand characters',
    make: (good) => signAny({ ...good.claims, padding: 'x'.repeat(5_000) }, good.privatePem),
  },
]
