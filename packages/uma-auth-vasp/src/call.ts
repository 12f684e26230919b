import type { BearerFault, TokenClaims } from './tokens.ts'

/** The checks of a command, in the order of execution. The order is part of the contract. */
export const CHECKS = [
  'route',
  'bearer',
  'rate limit',
  'account',
  'command',
  'scope',
  'input',
  'work',
  'reply',
] as const
export type Check = (typeof CHECKS)[number]

/** One call, as `observe` receives it. */
export interface CallEvent {
  readonly requestId: string
  /** `GET /balance`, `POST /token`, or `unknown`: a closed set, so that it can label a metric. */
  readonly route: string
  readonly method: string
  /** As the client sent it, without the query. */
  readonly path: string
  /** As the client sent it, without the question mark. */
  readonly query: string
  /** The request body. Undefined when the call was refused before it was read. It may contain anything. */
  readonly requestText: string | undefined
  /** The body of the response. The body of a token exchange contains a token. */
  readonly responseText: string
  /** The value that `responseText` was written from, so that an observer need not parse it. It may be large: do not change it. */
  readonly responseBody: unknown
  readonly status: number
  readonly durationMs: number
  /** Undefined until the signature check has passed. */
  readonly claims: TokenClaims | undefined
  /** Undefined for a call that succeeded. All checks before it in `CHECKS` have passed. */
  readonly failedCheck: Check | undefined
  /** Why the check `bearer` failed. It never leaves the server. */
  readonly bearerFault: BearerFault | undefined
  /** The connection that a token exchange created. */
  readonly connectionId: string | undefined
}

/** A call in progress: the data of its event, and the current check. */
export type Call = { readonly requestId: string; check: Check } & {
  -readonly [Field in 'claims' | 'bearerFault' | 'connectionId' | 'requestText' | 'responseBody']: CallEvent[Field]
}
