import type { z } from 'zod'
import type { TokenUse } from '../auth/tokens'
import type { Deps } from '../deps'
import { VaspError, badInput, unauthorized } from '../errors'
import { readBearer } from './bearer'
import { readCaller, type Caller } from './caller'
import type { CommandName } from './commands'

/** One endpoint of the gateway API: what it accepts, what it answers, and what it does. */
export interface CommandRoute<Query extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly command: CommandName
  /** The kinds of token let in; the login token opens `/info` only (specification, Authentication 2). */
  readonly accepts: readonly TokenUse[]
  readonly query: Query
  readonly reply: Reply
  run(input: { deps: Deps; caller: Caller; query: z.output<Query> }): z.output<Reply> | Promise<z.output<Reply>>
}

/** A command in the table whose code does not exist yet. */
export interface MissingRoute {
  readonly command: CommandName
}

export function commandRoute<Query extends z.ZodType, Reply extends z.ZodType>(
  route: CommandRoute<Query, Reply>,
): CommandRoute {
  return route
}

/**
 * Carries out one request. The order is part of the contract: bearer (401, 500), account and revocation (401),
 * command without code (501), scope (403), input (400), the work, and the reply checked before it is sent, because a
 * gateway books a payment as failed when the answer does not fit.
 */
export async function runCommand(
  route: CommandRoute | MissingRoute,
  request: Request,
  deps: Deps,
): Promise<{ reply: unknown; caller: Caller }> {
  const claims = await readBearer(request, deps.tokens)
  const accepts: readonly TokenUse[] = 'accepts' in route ? route.accepts : ['connection']
  if (!accepts.includes(claims.use)) throw unauthorized()
  await deps.limits.takeRequest(claims.id)
  const caller = await readCaller(deps.db, claims)
  if (!('run' in route))
    throw new VaspError(501, 'NOT_IMPLEMENTED', `${route.command} is not implemented by this VASP.`)
  if (caller.use === 'connection' && !caller.scope.includes(route.command)) {
    throw new VaspError(403, 'RESTRICTED', `This connection was not granted ${route.command}.`)
  }
  const query = readQuery(route.query, new URL(request.url).searchParams)
  const reply = await route.run({ deps, caller, query })
  return { reply: route.reply.parse(reply), caller }
}

function readQuery(schema: z.ZodType, params: URLSearchParams): unknown {
  const parsed = schema.safeParse(Object.fromEntries(params))
  if (!parsed.success) throw badInput(`${fieldOf(parsed.error)} is missing or not valid.`)
  const known = Object.keys(parsed.data as object)
  const repeated = known.find((name) => params.getAll(name).length > 1)
  if (repeated !== undefined) throw badInput(`${repeated} is given more than once.`)
  return parsed.data
}

function fieldOf(error: z.ZodError): string {
  return error.issues[0]?.path.join('.') || 'The request'
}
