import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiRequest, ApiResponse, TokenClaims } from 'uma-auth-vasp'
import { toNodeHandler } from 'uma-auth-vasp/node-http'
import type { CommandMethod, FaultInjector } from '../../backend/faults'
import { isConnectionOpen, takeFault } from './service'
import { STATUS_OF_CODE, isErrorCode, type Fault, type FaultKind } from './types'
import { isBusy } from '../../platform/concurrency/concurrency-limiter'
import { makeKeyedLimiter } from '../../platform/concurrency/keyed-limiter'
import type { Database } from '../../platform/db/database'
import { VaspError, busy, rateLimited, unauthorized } from '../../platform/errors'
import type { RateLimits } from '../../platform/http/rate-limits'

/** Concurrent delayed calls of one connection. Each holds a socket, but no slot of its user. */
const MAX_DELAYED = 20

/** Its value is the kind of the fault. */
const FAULT_HEADER = 'X-Sandbox-Fault'

type Call = Parameters<CommandMethod>
type Answer = Pick<ApiResponse, 'status' | 'text'>

/**
 * A method takes the fault of its call, and the response finds that fault by the request id. The package calls a method only after
 * all its checks: the token is verified and not revoked, the command is granted and the input is valid.
 */
export function createFaultInjector({
  db,
  limits,
}: {
  readonly db: Database
  readonly limits: Pick<RateLimits, 'admit'>
}): FaultInjector {
  const taken = new Map<string, Fault>()
  const closed = new WeakSet<ApiResponse>()
  /** A replay is a call of its owner, not of the app, and takes no fault. */
  const replayed = new WeakSet<TokenClaims>()
  const delayed = makeKeyedLimiter({ maxConcurrent: MAX_DELAYED, maxQueued: 0 })
  const closing = new AbortController()
  // One listener for each delayed call.
  setMaxListeners(0, closing.signal)

  /** Returns false immediately when too many calls of the connection are delayed. Returns early when the process stops. */
  async function delay({ connectionId, seconds }: Fault, [, , { slot }]: Call): Promise<boolean> {
    slot.release()
    try {
      await delayed.run(connectionId, () => sleep((seconds ?? 0) * 1_000, undefined, { signal: closing.signal }))
      return true
    } catch (error) {
      if (isBusy(error)) return false
      if (closing.signal.aborted) return true
      throw error
    }
  }

  /** The call is admitted a second time: its slot was released for the delay. */
  async function runLater(method: CommandMethod, fault: Fault, call: Call): Promise<unknown> {
    if (!(await delay(fault, call))) throw rateLimited(1)
    if (closing.signal.aborted) throw busy(1)
    const [caller, input, { requestId, claims, idempotencyKey, signal }] = call
    const slot = await limits.admit(caller.username)
    try {
      await slot.startWork()
      if (!(await isConnectionOpen(db, fault.connectionId))) throw unauthorized()
      return await method(caller, input, { requestId, claims, idempotencyKey, signal, slot })
    } finally {
      slot.release()
    }
  }

  /** The response is lost whether the work has succeeded or failed. */
  async function runFirst(method: CommandMethod, fault: Fault, call: Call): Promise<unknown> {
    const [outcome] = await Promise.allSettled([method(...call)])
    if (fault.kind === 'delay') await delay(fault, call)
    const error = errorOf(fault, outcome.status === 'rejected' ? outcome.reason : undefined)
    if (error !== undefined) throw error
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }

  async function handleBy(vasp: { handle(request: ApiRequest): Promise<ApiResponse> }, request: ApiRequest) {
    const response = await vasp.handle(request)
    const requestId = response.headers['X-Request-Id'] ?? ''
    const fault = taken.get(requestId)
    if (fault === undefined) return response
    taken.delete(requestId)
    const { kind } = fault
    const headers = { ...response.headers, ...headersOf(kind), [FAULT_HEADER]: kind }
    const injected: ApiResponse = { ...sentInstead(kind, response), headers }
    if (kind === 'closed_socket') closed.add(injected)
    return injected
  }

  return {
    inMethod:
      (method) =>
      async (...call) => {
        const [caller, , { requestId, claims, slot }] = call
        if (!caller.hasFaults || replayed.has(claims)) return method(...call)
        await slot.startWork()
        const fault = await takeFault(db, caller.tokenId)
        if (fault === undefined) return method(...call)
        taken.set(requestId, fault)
        if (fault.stage === 'after') return runFirst(method, fault, call)
        if (fault.kind === 'delay') return runLater(method, fault, call)
        throw errorOf(fault) ?? new VaspError(500, 'INTERNAL', MESSAGE)
      },
    inResponses: (vasp) => ({
      ...vasp,
      handle: (request) => handleBy(vasp, request),
      replay(request, replay) {
        // A copy, because all calls of a token share the object of its verified claims.
        const claims = { ...replay.claims }
        replayed.add(claims)
        return vasp.replay(request, { ...replay, claims })
      },
      async fetch(request) {
        const response = await handleBy(vasp, request)
        const { status, headers, text } = response
        const isEmpty = request.method === 'HEAD'
        return new Response(isEmpty ? null : closed.has(response) ? failingBody() : text, { status, headers })
      },
    }),
    responseOf({ requestId, status, responseText }) {
      const fault = taken.get(requestId)
      if (fault === undefined) return undefined
      const { kind } = fault
      return {
        kind,
        sent: kind === 'closed_socket' ? undefined : sentInstead(kind, { status, text: responseText }),
      }
    },
    // One handler for each request: `handle` does not know the connection.
    nodeHandler: (vasp, options) => (request, response, next) => {
      const handle = async (call: ApiRequest): Promise<ApiResponse> => {
        const answer = await vasp.handle(call)
        // Node discards data written to a destroyed response.
        if (closed.has(answer)) response.destroy()
        return answer
      }
      toNodeHandler({ handle, owns: (path) => vasp.owns(path) }, options)(request, response, next)
    },
    close: () => closing.abort(),
  }
}

const MESSAGE = 'Injected by the sandbox.'

/** The error of the API; undefined for a fault that changes the response instead. */
function errorOf({ kind, seconds }: Fault, cause?: unknown): VaspError | undefined {
  if (kind === 'UNAUTHORIZED') return unauthorized(cause)
  if (isErrorCode(kind)) return new VaspError(STATUS_OF_CODE[kind], kind, MESSAGE, { cause })
  if (kind !== 'http_429') return undefined
  return new VaspError(429, 'RATE_LIMITED', MESSAGE, { cause, headers: { 'Retry-After': String(seconds) } })
}

/** `http_500` and `http_501` come from a proxy or a broken server, so their bodies are not those of the API. */
const CHANGES: Partial<Record<FaultKind, (answer: Answer) => Answer>> = {
  http_500: () => ({ status: 500, text: page('500 Internal Server Error') }),
  http_501: () => ({ status: 501, text: page('501 Not Implemented') }),
  // The beginning of an object is never valid JSON.
  invalid_json: ({ text }) => ({ status: 200, text: text.slice(0, Math.ceil(text.length / 2)) }),
}

function sentInstead(kind: FaultKind, { status, text }: Answer): Answer {
  return CHANGES[kind]?.({ status, text }) ?? { status, text }
}

function page(title: string): string {
  return `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`
}

function headersOf(kind: FaultKind): Readonly<Record<string, string>> {
  return kind === 'http_500' || kind === 'http_501' ? { 'Content-Type': 'text/html; charset=utf-8' } : {}
}

/** Behind Next, a handler cannot reach the socket. When the body fails, Next closes the connection. */
function failingBody(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.error(new Error('closed by a fault')) })
}
