import { admit, commandsOf, open, readBearer, release, requireAllowed } from './admission.ts'
import type { Handler } from './api.ts'
import type { CallContext, Slot } from './backend.ts'
import type { Call, CallEvent } from './call.ts'
import { identify, tell } from './callbacks.ts'
import { documentResponse } from './discovery.ts'
import type { Endpoint, ReplyContext } from './endpoint.ts'
import {
  HttpError,
  isRefusal,
  OUR_FAULT,
  PaymentPending,
  refusalOf,
  unauthorized,
  VERIFICATION_KEY_MISSING,
  WalletError,
  type Refusal,
} from './errors.ts'
import type { HandlerParts } from './handler-parts.ts'
import { parse, parseJson, readIdempotencyKey, readQuery } from './input.ts'
import {
  matchPath,
  readBody,
  routeOf,
  splitUrl,
  withoutUnset,
  type ApiRequest,
  type ApiResponse,
  type Match,
} from './request.ts'
import { exchangeToken } from './token-exchange.ts'
import type { TokenClaims, TokenUse } from './tokens.ts'
import { begin, startOf } from './tracing.ts'

/** What is not known before the first check. */
const UNKNOWN = {
  claims: undefined,
  bearerFault: undefined,
  connectionId: undefined,
  requestText: undefined,
  responseBody: undefined,
}

/**
 * The gateway API: one function from request to response. It runs once per request and never throws.
 * Order of checks: route 404/405, bearer 401/500, rate limit 429, account 401, command 501, scope 403, input 400, work, reply.
 */
export function createHandler(parts: HandlerParts): Handler {
  const run = async (request: ApiRequest): Promise<ApiResponse> => {
    const { path, query } = splitUrl(request.url)
    const document = parts.documents.get(path)
    if (document !== undefined) {
      const route = path.endsWith('/openapi.json') ? 'openapi' : 'discovery'
      const ended = begin(parts, () => startOf(request, route, undefined))
      const response = documentResponse(request.method, document)
      ended({ status: response.status, failedCheck: response.status === 405 ? 'route' : undefined })
      return response
    }
    const startedAt = performance.now()
    const { requestId, fault } = identify(parts.newId)
    const call: Call = { requestId, check: 'route', ...UNKNOWN }
    const apiPath = path.startsWith(`${parts.basePath}/`) ? path.slice(parts.basePath.length) : ''
    const match = matchPath(request.method, apiPath)
    const isExchange = path === `${parts.basePath}/token`
    const route = routeOf(match, isExchange)
    const ended = begin(parts, () => startOf(request, route, requestId))
    // JSON.stringify throws for a bigint in a transaction's metadata, so it comes before `catch`.
    const response = await (fault === undefined ? answer(parts, request, match, query, call) : Promise.reject(fault))
      .then((body) => toResponse(200, {}, body, call))
      .catch((error: unknown) => refuse(parts, refusalOf(error), isExchange, call))
    const failedCheck = response.status === 200 ? undefined : call.check
    ended({ status: response.status, failedCheck })
    // Field by field: copying the rest of `call` would take a twentieth of the CPU time of a balance.
    report(parts, {
      requestId,
      route,
      method: request.method,
      path,
      query,
      requestText: call.requestText,
      responseText: response.text,
      responseBody: call.responseBody,
      status: response.status,
      durationMs: performance.now() - startedAt,
      claims: call.claims,
      failedCheck,
      bearerFault: call.bearerFault,
      connectionId: call.connectionId,
    })
    return response
  }
  // A request that breaks its own interface is the only reason left to throw. Its answer is an answer too.
  const handle = (request: ApiRequest): Promise<ApiResponse> =>
    run(request).catch((error: unknown) => {
      const call = { requestId: crypto.randomUUID(), check: 'route' as const, ...UNKNOWN }
      const fault = error ?? new Error('nothing was thrown')
      return refuse(parts, { status: 500, code: 'INTERNAL', message: OUR_FAULT, headers: {}, fault }, false, call)
    })
  return { handle }
}

async function answer(
  parts: HandlerParts,
  request: ApiRequest,
  match: Match,
  query: string,
  call: Call,
): Promise<unknown> {
  if (parts.allows !== undefined) await requireAllowed(parts, parts.allows, request)
  switch (match.kind) {
    case 'unknown':
      throw new WalletError('NOT_FOUND', 'This API has no such path.')
    case 'other-method':
      throw new HttpError(405, `This path accepts ${match.allow}.`, { Allow: match.allow })
    case 'exchange':
      return carryOut(parts, request, ['login'], call, (claims) => exchangeToken(parts, request, claims, call))
    case 'command':
      return runCommand(parts, request, match, query, call)
  }
}

/** Checks the bearer token and the rate limit, then does the work and releases its slot. */
async function carryOut<Result>(
  parts: HandlerParts,
  request: ApiRequest,
  accepts: readonly TokenUse[],
  call: Call,
  work: (claims: TokenClaims, slot: Slot) => Promise<Result>,
): Promise<Result> {
  call.check = 'bearer'
  const { tokens } = parts
  const bearer = await readBearer(request, tokens)
  const claims = typeof bearer === 'string' || accepts.includes(bearer.use) ? bearer : 'kind'
  if (typeof claims === 'string') {
    call.bearerFault = claims
    throw unauthorized()
  }
  call.claims = claims
  call.check = 'rate limit'
  const slot = await admit(parts, claims)
  try {
    call.check = 'account'
    return await work(claims, slot)
  } finally {
    release(parts, slot, call.requestId)
  }
}

function runCommand(
  parts: HandlerParts,
  request: ApiRequest,
  { command, params }: Extract<Match, { kind: 'command' }>,
  query: string,
  call: Call,
): Promise<unknown> {
  const { backend } = parts
  const known = parts.endpoints[command.backendMethod]
  return carryOut(parts, request, known.accepts, call, async (claims, slot) => {
    const caller = await open(parts, claims, slot, call.requestId)
    call.check = 'command'
    const method = backend[command.backendMethod]
    if (method === undefined)
      throw new WalletError('NOT_IMPLEMENTED', `${command.name} is not implemented by this VASP.`)
    call.check = 'scope'
    if (claims.use === 'connection' && !claims.scope.includes(command.name))
      throw new WalletError('RESTRICTED', `This connection was not granted ${command.name}.`)
    const available = backend.commandsOf === undefined ? parts.commands : await commandsOf(parts, caller)
    if (!available.includes(command.name))
      throw new WalletError('RESTRICTED', `${command.name} is not available to this user.`)
    call.check = 'input'
    const isCurrent = parts.currentEndpoints === undefined || !known.namesCurrency
    const endpoint = isCurrent ? known : (await parts.currentEndpoints())[command.backendMethod]
    const input = endpoint.toInput({
      params: endpoint.params && parse(endpoint.params, params),
      query: endpoint.query && readQuery(endpoint.query, query),
      body: endpoint.body && parse(endpoint.body, withoutUnset(parseJson(await readBody(request, call)))),
    })
    const idempotencyKey = endpoint.takesKey ? readIdempotencyKey(request) : undefined
    const context = new CommandContext(call.requestId, claims, idempotencyKey, slot, request)
    call.check = 'work'
    // Input and method belong to the same command: the table of endpoints pairs them.
    const run = async (): Promise<unknown> =>
      (method as (...call: readonly unknown[]) => unknown).call(backend, caller, input, context)
    const leftOut = (part: string, cause: unknown): void => {
      const err = new Error(`${command.backendMethod} returned ${part}, which the API cannot express`, { cause })
      parts.log.error({ requestId: call.requestId, err }, 'a part of an answer was left out')
    }
    const finish = (result: unknown): unknown => {
      const reply = toReply(endpoint, result, { claims, commands: available, leftOut }, call)
      const checked = endpoint.check.safeParse(reply)
      if (checked.success) return checked.data
      const cause = checked.error
      throw new Error(`${command.backendMethod} returned a value that the API cannot express`, { cause })
    }
    return endpoint.pays ? pay(parts, call, run, finish) : finish(await run())
  })
}

/** A refusal, such as 404 for a result that is undefined, still belongs to the work. */
function toReply(endpoint: Endpoint, result: unknown, context: ReplyContext, call: Call): unknown {
  try {
    const reply = endpoint.toReply(result, context)
    call.check = 'reply'
    return reply
  } catch (error) {
    if (isRefusal(error) === false) call.check = 'reply'
    throw error
  }
}

/**
 * Once a method that pays has begun, only the bank knows whether money has moved. A gateway books 500 as "nothing was paid", so an error
 * that is no refusal of the bank, and a value that the API cannot express, are answered with 504: the outcome is not known.
 */
async function pay(
  { log }: HandlerParts,
  { requestId }: Call,
  run: () => Promise<unknown>,
  finish: (result: unknown) => unknown,
): Promise<unknown> {
  const result = await run().catch((error: unknown) => {
    if (isRefusal(error) !== false) throw error
    const err = error ?? new Error('nothing was thrown')
    log.error({ requestId, err }, 'a payment has an unknown outcome: its method failed')
    throw new PaymentPending()
  })
  try {
    return finish(result)
  } catch (err) {
    log.error({ requestId, err }, 'a payment has an unknown outcome: its result cannot be sent')
    throw new PaymentPending()
  }
}

/** A class, because `signal` is created on demand and an object literal with a getter is slow. */
class CommandContext implements CallContext {
  readonly requestId: string
  readonly claims: TokenClaims
  readonly idempotencyKey: string | undefined
  readonly slot: Slot
  readonly #request: ApiRequest

  constructor(id: string, claims: TokenClaims, key: string | undefined, slot: Slot, request: ApiRequest) {
    this.requestId = id
    this.claims = claims
    this.idempotencyKey = key
    this.slot = slot
    this.#request = request
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal
  }
}

function refuse(parts: HandlerParts, refusal: Refusal, isExchange: boolean, call: Call): ApiResponse {
  const { status, code, message, headers, fault } = refusal
  if (fault !== undefined) parts.log.error({ requestId: call.requestId, err: fault }, 'request failed')
  // Errors of the exchange carry exactly one field (specification, Errors). Elsewhere one body has `error` for the
  // specification, and `code` and `message` for gateways, which pass them on to apps.
  const repeatsError = status === 401 || message === VERIFICATION_KEY_MISSING
  const body = isExchange ? { error: message } : { ...(repeatsError ? { error: message } : {}), code, message }
  return toResponse(status, headers, body, call)
}

/** @throws TypeError for a bigint in the body. */
function toResponse(status: number, headers: Refusal['headers'], body: unknown, call: Call): ApiResponse {
  const text = JSON.stringify(body)
  call.responseBody = body
  return { status, headers: { ...headers, ...headersOf(status, call) }, text }
}

function headersOf(status: number, { requestId }: Call): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-Request-Id': requestId,
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
  }
}

/** Whatever the observer does, the call is answered. */
function report({ observe, log }: HandlerParts, event: CallEvent): void {
  if (observe === undefined) return
  tell(
    () => observe(event),
    (err) => log.error({ requestId: event.requestId, err }, 'observe failed'),
  )
}
