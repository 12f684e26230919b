import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiRequest, ApiResponse } from 'uma-auth-vasp'
import { toNodeHandler } from 'uma-auth-vasp/node-http'
import type { CommandMethod, FaultInjector } from '../../backend/faults'
import { isBusy } from '../../platform/concurrency/concurrency-limiter'
import { makeKeyedLimiter } from '../../platform/concurrency/keyed-limiter'
import type { Database } from '../../platform/db/database'
import { busy, rateLimited, unauthorized, VaspError } from '../../platform/errors'
import type { RateLimits } from '../../platform/http/rate-limits'
import { isConnectionOpen, takeFault } from './service'
import { FAULT_RULES, type Fault, type FaultKind } from './types'

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
    if (does('delay', fault)) await delay(fault, call)
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
    if (does('close', fault)) closed.add(injected)
    return injected
  }

  return {
    inMethod:
      (method) =>
      async (...call) => {
        const [caller, , { requestId, slot }] = call
        if (!caller.hasFaults) return method(...call)
        await slot.startWork()
        const fault = await takeFault(db, caller.tokenId)
        if (fault === undefined) return method(...call)
        taken.set(requestId, fault)
        if (fault.stage === 'after') return runFirst(method, fault, call)
        if (does('delay', fault)) return runLater(method, fault, call)
        throw errorOf(fault) ?? new VaspError(500, 'INTERNAL', 'Injected by the sandbox.')
      },
    inResponses: (vasp) => ({
      ...vasp,
      handle: (request) => handleBy(vasp, request),
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
        sent: does('close', fault) ? undefined : sentInstead(kind, { status, text: responseText }),
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

/** The error of the API; undefined for a fault that changes the response instead. */
function errorOf({ kind, seconds }: Fault, cause?: unknown): VaspError | undefined {
  const { effect } = FAULT_RULES[kind]
  return effect.does === 'refuse' ? effect.error(seconds, cause) : undefined
}

function sentInstead(kind: FaultKind, { status, text }: Answer): Answer {
  const { effect } = FAULT_RULES[kind]
  return effect.does === 'replace' ? effect.response({ status, text }) : { status, text }
}

function headersOf(kind: FaultKind): Readonly<Record<string, string>> {
  const { effect } = FAULT_RULES[kind]
  return effect.does === 'replace' ? (effect.headers ?? {}) : {}
}

function does(effect: 'close' | 'delay', { kind }: Pick<Fault, 'kind'>): boolean {
  return FAULT_RULES[kind].effect.does === effect
}

/** Behind Next, a handler cannot reach the socket. When the body fails, Next closes the connection. */
function failingBody(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.error(new Error('closed by a fault')) })
}
