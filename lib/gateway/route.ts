import type { z } from 'zod'
import type { TokenClaims, TokenUse } from '../auth/tokens'
import type { Deps } from '../deps'
import { VaspError, badInput, unauthorized } from '../errors'
import { readBody } from '../http/read-body'
import { readBearer } from './bearer'
import type { Caller, ReadCaller } from './caller'
import type { ApiRequest } from './message'
import { nameInvoice, type NamedInvoice } from '../payments/named-invoice'
import type { CommandName } from './commands'

/** One endpoint of the gateway API: what it accepts, what it answers, and what it does. */
export interface CommandRoute<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly command: CommandName
  /** The kinds of token let in; the login token opens `/info` only (specification, Authentication 2). */
  readonly accepts: readonly TokenUse[]
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** Headers that it reads, for the OpenAPI document. */
  readonly headers?: z.ZodObject
  readonly reply: Reply
  /** The invoice that a body is about: where it is one of this VASP, it is read together with the caller. */
  readonly invoiceOf?: (body: z.output<Body>) => string
  /** Refusals of its own besides those that every route has, for the OpenAPI document. */
  readonly refusals?: Readonly<Partial<Record<'404' | '501' | '504', string>>>
  run(input: {
    deps: Deps
    caller: Caller
    params: z.output<Params>
    query: z.output<Query>
    body: z.output<Body>
    request: ApiRequest
  }): MaybeLater<z.output<Reply>> | Promise<MaybeLater<z.output<Reply>>>
}

/** A reply that has to wait for others: outside the person's turn, which it would keep from everything else. */
export interface Later<Reply> {
  readonly whenDone: () => Promise<Reply>
}

type MaybeLater<Reply> = Reply | Later<Reply>

/** A command in the table whose code does not exist yet. */
export interface MissingRoute {
  readonly command: CommandName
}

export function commandRoute<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Reply extends z.ZodType = z.ZodType,
>(route: CommandRoute<Params, Query, Body, Reply>): CommandRoute {
  return route
}

/**
 * Carries out one request. The order is part of the contract: bearer (401, 500), account and revocation (401),
 * command without code (501), scope (403), input (400), the work, and the reply checked before it is sent, because a
 * gateway books a payment as failed when the answer does not fit.
 */
export async function runCommand(
  route: CommandRoute | MissingRoute,
  request: ApiRequest,
  pathParams: Readonly<Record<string, string>>,
  deps: Deps,
  readCaller: ReadCaller,
): Promise<{ reply: unknown; caller: Caller }> {
  const claims = await readBearer(request, deps.tokens)
  const accepts: readonly TokenUse[] = 'accepts' in route ? route.accepts : ['connection']
  if (!accepts.includes(claims.use)) throw unauthorized()
  deps.limits.takeRequest(claims.id)
  const { given, caller, schema } = await deps.limits.call(
    claims.username,
    () => readEarly(route, request),
    (early) => carryOut(route, request, pathParams, deps, claims, readCaller, early),
  )
  const reply = isLater(given) ? await given.whenDone() : given
  return { reply: schema.parse(reply), caller }
}

function isLater(given: unknown): given is Later<unknown> {
  return typeof given === 'object' && given !== null && 'whenDone' in given
}

async function carryOut(
  route: CommandRoute | MissingRoute,
  request: ApiRequest,
  pathParams: Readonly<Record<string, string>>,
  deps: Deps,
  claims: TokenClaims,
  readCaller: ReadCaller,
  early: Early,
): Promise<{ given: unknown; caller: Caller; schema: z.ZodType }> {
  const caller = await readCaller(claims, early.named)
  if (!('run' in route))
    throw new VaspError(501, 'NOT_IMPLEMENTED', `${route.command} is not implemented by this VASP.`)
  if (caller.use === 'connection' && !caller.scope.includes(route.command)) {
    throw new VaspError(403, 'RESTRICTED', `This connection was not granted ${route.command}.`)
  }
  const params = route.params === undefined ? undefined : parse(route.params, pathParams)
  const query = route.query === undefined ? undefined : readQuery(route.query, new URL(request.url).searchParams)
  const body = await early.body
  const given = await route.run({ deps, caller, params, query, body, request })
  return { given, caller, schema: route.reply }
}

interface Early {
  readonly body: Promise<unknown>
  readonly named: NamedInvoice | undefined
}

/**
 * The whole body, and the invoice that it is about, which is looked up together with the caller. What is wrong with it is said in
 * its turn: when the caller is known and may.
 */
async function readEarly(route: CommandRoute | MissingRoute, request: ApiRequest): Promise<Early> {
  if (!('run' in route) || route.body === undefined) return { body: Promise.resolve(undefined), named: undefined }
  const { invoiceOf } = route
  const body = readJson(route.body, request)
  const named = await body
    .then((read) => (invoiceOf === undefined ? undefined : nameInvoice(invoiceOf(read))))
    .catch(() => undefined)
  return { body, named }
}

async function readJson(schema: z.ZodType, request: ApiRequest): Promise<unknown> {
  return parse(schema, parseJson(await readBody(request)))
}

function readQuery(schema: z.ZodType, params: URLSearchParams): unknown {
  const repeated = [...params.keys()].find((name, index, names) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw badInput(`${repeated.slice(0, 40)} is given more than once.`)
  return parse(schema, Object.fromEntries(params))
}

/** What is wrong with a field whose schema has no sentence of its own. */
const INVALID = 'is missing or not valid.'

function parse(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value, { error: () => INVALID })
  if (!parsed.success) throw badInput(`${fieldOf(parsed.error)} ${parsed.error.issues[0]?.message ?? INVALID}`)
  return parsed.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw badInput('The body is not JSON.', error)
  }
}

function fieldOf(error: z.ZodError): string {
  return error.issues[0]?.path.join('.') || 'The request'
}
