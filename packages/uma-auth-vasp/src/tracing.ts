import type { Check } from './call.ts'
import { tell, type Log } from './callbacks.ts'
import { splitUrl, type ApiRequest } from './request.ts'

/** What is known when a call begins. */
export interface CallStart {
  /** The value of the response's `X-Request-Id`. Undefined for a document and for a login, whose responses have none. */
  readonly requestId: string | undefined
  /**
   * The `route` of the `CallEvent`, or `discovery`, `openapi`, `login.start`, `login.finish`: a closed set, so that it can name a span.
   */
  readonly route: string
  readonly method: string
  /** As the client sent it, without the query. Empty for `login.finish`. */
  readonly path: string
  /**
   * As the client sent it, without the question mark; empty for `login.finish`. That of `login.start` has the `redirect_uri`, whose
   * origin `originForLog` returns.
   */
  readonly query: string
  /** For a `traceparent`, say. Undefined for a login. */
  readonly headers: { get(name: string): string | null } | undefined
}

/** Why a login was refused. `pending`: the request is not valid in this browser. `used`: it has been finished before. */
export type LoginFault = 'method' | 'redirect_uri' | 'pending' | 'expired' | 'used' | 'failed'

/** What is known when the answer is ready. */
export interface CallEnd {
  /** 200 for a `login.start` that continues: the answer is then your sign-in page. */
  readonly status: number
  readonly durationMs: number
  /** Undefined for a call that succeeded. A document fails for its method only: `route`. */
  readonly failedCheck: Check | LoginFault | undefined
}

/**
 * Called when a call begins. What it returns is called with the end of that call, so that a span can stay in a variable.
 * Neither can change an answer or fail a call: they are not awaited, and their errors are only logged.
 */
export type Trace = (start: CallStart) => ((end: CallEnd) => unknown) | undefined | void

/** Reports the start of a call. @returns the function that reports its end. Neither throws. */
export function begin(
  { trace, log }: { readonly trace: Trace | undefined; readonly log: Log },
  describe: () => CallStart,
): (end: Pick<CallEnd, 'status' | 'failedCheck'>) => void {
  if (trace === undefined) return ignore
  const startedAt = performance.now()
  const failed = (err: unknown): void => log.error({ err }, 'trace failed')
  let onEnd: unknown
  tell(() => (onEnd = trace(describe())), failed)
  return (end) => {
    if (typeof onEnd === 'function')
      tell(() => (onEnd as (end: CallEnd) => unknown)({ ...end, durationMs: performance.now() - startedAt }), failed)
  }
}

function ignore(): void {
  // Nothing is traced.
}

export function startOf({ method, url, headers }: ApiRequest, route: string, requestId: string | undefined): CallStart {
  // A view: the request's own headers can be changed, and decide about the answer.
  return { requestId, route, method, ...splitUrl(url), headers: { get: (name) => headers.get(name) } }
}
