import { createPrivateKey, createPublicKey } from 'node:crypto'
import {
  decodeToken,
  hasSignatureOf,
  signToken,
  type DecodedToken,
} from '../../../packages/uma-auth-conformance/src/jwt'
import { newKeyPair } from '../../vasp/keys'
import { answer, type Answer, type Call, type Handler, type Pair, type ReferenceOptions } from '../reference-vasp'

/** A VASP with one mistake, and the case that has to find it. */
export interface Mutation {
  readonly caughtBy: string
  /** What the VASP does wrong. */
  readonly mistake: string
  /** Whether no other case finds it. */
  readonly alone?: boolean
  /** Runs with `--slow`. */
  readonly slow?: boolean
  readonly vasp: ReferenceOptions
  /** Runs without the flag `--gateway`: the discovery document names the gateway. */
  readonly withoutGateway?: boolean
  /** Path of the token exchange, if it differs from the default. */
  readonly exchangePath?: string
}

export type Wrap = NonNullable<ReferenceOptions['wrap']>
type Matches = (call: Call) => boolean
export type Json = Record<string, unknown>

export function pathOf({ url }: Call): string {
  return url.split('?', 1)[0] ?? ''
}

export function queryOf({ url }: Call): URLSearchParams {
  return new URLSearchParams(url.split('?').slice(1).join('?'))
}

/** Requests of one endpoint of the API. */
export function at(path: string | RegExp, method?: string): Matches {
  return (call) => {
    const below = pathOf(call).replace('/umanwc/v1', '')
    const isPath = typeof path === 'string' ? below === path : path.test(below)
    return isPath && (method === undefined || call.method === method)
  }
}

export const atDiscovery: Matches = (call) => pathOf(call) === '/.well-known/uma-configuration'
export const atLogin: Matches = (call) => pathOf(call) === '/connect'
export const atExchange = at('/token')
export const atApi: Matches = (call) => pathOf(call).startsWith('/umanwc/v1/') && pathOf(call) !== '/umanwc/v1/token'

/** Changes answers. */
export function answers(matches: Matches, change: (given: Answer, call: Call) => Answer): Wrap {
  return (next) => async (call) => {
    const given = await next(call)
    return matches(call) ? change(given, call) : given
  }
}

/** Answers in place of the VASP. */
export function instead(matches: Matches, change: (call: Call) => Answer): Wrap {
  return (next) => (call) => (matches(call) ? Promise.resolve(change(call)) : next(call))
}

/** Changes requests before the VASP reads them. */
export function calls(matches: Matches, change: (call: Call) => Call): Wrap {
  return (next) => (call) => next(matches(call) ? change(call) : call)
}

/** Changes the JSON of successful answers. */
export function json(matches: Matches, change: (body: Json, call: Call) => unknown): Wrap {
  return answers(matches, (given, call) => {
    if (given.status >= 300) return given
    return { ...given, text: JSON.stringify(change(JSON.parse(given.text) as Json, call)) }
  })
}

/** Changes the JSON of errors, and their status. */
export function errors(matches: Matches, change: (body: Json, given: Answer) => unknown, status?: number): Wrap {
  return answers(matches, (given) => {
    if (given.status < 400) return given
    const text = JSON.stringify(change(JSON.parse(given.text) as Json, given))
    return { ...given, status: status ?? given.status, text }
  })
}

/** Changes the JSON body of requests. */
export function bodies(matches: Matches, change: (body: Json) => Json): Wrap {
  return calls(matches, (call) => {
    const body = bodyOf(call)
    return body === undefined ? call : { ...call, body: JSON.stringify(change(body)) }
  })
}

export function bodyOf({ body }: Call): Json | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

export function withHeader(given: Answer, name: string, value: string | undefined): Answer {
  const headers = new Headers(given.headers)
  if (value === undefined) headers.delete(name)
  else headers.set(name, value)
  return { ...given, headers }
}

export function jsonAnswer(status: number, body: unknown): Answer {
  return answer(status, JSON.stringify(body), { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
}

export function bearerOf({ headers }: Call): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
}

export function withBearer(call: Call, token: string): Call {
  const headers = new Headers(call.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...call, headers }
}

export function isSignedBy(token: string, pair: Pair): boolean {
  return hasSignatureOf(token, createPublicKey(pair.publicPem))
}

export type Kind = 'login' | 'connection'

/** How a mutated VASP writes its tokens. */
export interface TokenChange {
  readonly claims?: (claims: Json, call: Call) => Json
  readonly header?: Json
  readonly isForeign?: boolean
  /** Replaces the whole token. */
  readonly text?: (token: string) => string
}

/** Changes the tokens that the VASP issues, and restores the originals in requests. */
export function tokens(kind: Kind, change: TokenChange): Wrap {
  return (next, pair) => {
    const originals = new Map<string, string>()
    const foreign = createPrivateKey(newKeyPair().privatePem)
    function mutate(token: string, call: Call): string {
      const { header, claims } = decodeToken(token) as DecodedToken
      const key = change.isForeign === true ? foreign : createPrivateKey(pair.privatePem)
      const made =
        change.text?.(token) ??
        signToken(change.claims?.({ ...claims }, call) ?? claims, key, { ...header, ...change.header })
      originals.set(made, token)
      return made
    }
    return async (call) => {
      const bearer = bearerOf(call)
      const original = originals.get(bearer ?? '')
      const given = await next(original === undefined ? call : withBearer(call, original))
      const location = given.headers.get('location')
      if (kind === 'login' && location?.includes('token=') === true) {
        const url = new URL(location)
        const token = url.searchParams.get('token')
        if (token !== null && decodeToken(token) !== undefined)
          return withHeader(given, 'location', location.replace(token, mutate(token, call)))
      }
      const issued = atExchange(call) && given.status === 200 ? (JSON.parse(given.text) as { token?: string }) : {}
      if (kind === 'connection' && issued.token !== undefined)
        return { ...given, text: JSON.stringify({ token: mutate(issued.token, call) }) }
      return given
    }
  }
}

/** Accepts tokens that must be refused, by signing their claims again with the key of the VASP. */
export function accepts(
  matches: Matches,
  isAccepted: (token: DecodedToken, isOwn: boolean, call: Call) => boolean,
  claims: (given: Json) => Json = (given) => given,
): Wrap {
  return (next, pair) => (call) => {
    const token = bearerOf(call) ?? ''
    const decoded = decodeToken(token)
    if (decoded === undefined || !matches(call) || !isAccepted(decoded, isSignedBy(token, pair), call))
      return next(call)
    return next(withBearer(call, signToken(claims({ ...decoded.claims }), createPrivateKey(pair.privatePem))))
  }
}

/**
 * Uses the last valid token of this kind for the calls that `matches` selects. A connection token must have no expiry
 * and cover all commands.
 */
export function borrows(kind: Kind, matches: Matches): Wrap {
  return (next, pair) => {
    let last: string | undefined
    return (call) => {
      if (matches(call)) return next(last === undefined ? call : withBearer(call, last))
      const token = bearerOf(call) ?? ''
      const claims = decodeToken(token)?.claims ?? {}
      const isUsable =
        kind === 'login' ||
        (claims.aud === claims.iss &&
          claims.exp === undefined &&
          String(claims.scope).includes('get_balance make_invoice'))
      if (claims.token_use === kind && isUsable && isSignedBy(token, pair)) last = token
      return next(call)
    }
  }
}

/** Several changes at once; the first is the outermost. */
export function together(...wraps: readonly Wrap[]): Wrap {
  return (next, pair, root) => wraps.reduceRight<Handler>((inner, wrap) => wrap(inner, pair, root), next)
}

/** A mistake of the six commands of the example. */
export function example(caughtBy: string, mistake: string, wrap: Wrap, rest: Partial<Mutation> = {}): Mutation {
  return { caughtBy, mistake, vasp: { wrap }, ...rest }
}

/** A mistake of the other six commands. */
export function complete(caughtBy: string, mistake: string, wrap: Wrap, rest: Partial<Mutation> = {}): Mutation {
  return { caughtBy, mistake, vasp: { wallet: 'complete', wrap }, ...rest }
}

/** Advertises a command and answers it with 501, after the checks of token and scope. */
export function notImplemented(matches: Matches): Wrap {
  return answers(matches, (given) =>
    given.status === 401 || given.status === 403
      ? given
      : jsonAnswer(501, { code: 'NOT_IMPLEMENTED', message: 'Not implemented' }),
  )
}
