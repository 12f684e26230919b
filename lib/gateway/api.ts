import type { Deps } from '../deps'
import { VaspError, badInput, isVaspError } from '../errors'
import { makeReadCaller, type ReadCaller } from './caller'
import { clientAddress, isInNetworks } from '../http/networks'
import { runCommand } from './route'
import { matchPath } from './router'
import { ROUTES } from './routes'
import { exchangeToken } from './exchange'
import { toResponse, type ApiAnswer, type ApiRequest } from './message'

/** What the mount knows of the connection; undefined where it cannot know (a plain Next server). */
export interface Peer {
  readonly remoteAddress: string | undefined
}

export interface Api {
  (request: ApiRequest, peer?: Peer): Promise<Response>
  /** The same without the web's objects, for a mount that has none. */
  answer(request: ApiRequest, peer?: Peer): Promise<ApiAnswer>
}

interface Outcome {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly username?: string
  readonly connection?: string
}

/**
 * The whole gateway API as one function from request to answer, with nothing of a framework in it: the production
 * server mounts it on node:http, and Next mounts the same function for everyone else.
 */
export function makeApi(deps: Deps): Api {
  const readCaller = makeReadCaller(deps.db)
  const answerOne: Api['answer'] = async (request, peer = { remoteAddress: undefined }) => {
    const startedAt = performance.now()
    const requestId = deps.ids.uuid()
    const path = new URL(request.url).pathname
    const outcome = await answer({ deps, readCaller }, request, path, peer, requestId)
    deps.log.info({
      requestId,
      method: request.method,
      path: path.slice(0, 200),
      status: outcome.status,
      ms: Math.round(performance.now() - startedAt),
      username: outcome.username,
      connection: outcome.connection,
    })
    return {
      status: outcome.status,
      headers: { ...outcome.headers, ...apiHeaders(outcome.status, requestId) },
      text: JSON.stringify(outcome.body),
    }
  }
  return Object.assign(async (request: ApiRequest, peer?: Peer) => toResponse(await answerOne(request, peer)), {
    answer: answerOne,
  })
}

async function answer(
  { deps, readCaller }: { readonly deps: Deps; readonly readCaller: ReadCaller },
  request: ApiRequest,
  path: string,
  peer: Peer,
  requestId: string,
): Promise<Outcome> {
  const base = deps.settings.apiBasePath
  const isExchange = path === `${base}/token`
  try {
    refuseStrangers(deps, request, peer, requestId)
    const match = matchPath(request.method, path.startsWith(`${base}/`) ? path.slice(base.length) : '')
    switch (match.kind) {
      case 'unknown':
        throw new VaspError(404, 'NOT_FOUND', 'There is no such path in this API.')
      case 'other-method':
        throw new VaspError(405, 'OTHER', `This path takes ${match.allow}.`, { headers: { Allow: match.allow } })
      case 'exchange':
        return { status: 200, ...(await exchangeToken(deps, request)) }
      case 'command': {
        const route = ROUTES.get(match.command)
        if (route === undefined) throw badInput('There is no such command.')
        const { reply, caller } = await runCommand(route, request, match.params, deps, readCaller)
        return { status: 200, body: reply, username: caller.username, connection: caller.tokenId }
      }
    }
  } catch (error) {
    return refusalOf(deps, error, isExchange, requestId)
  }
}

/** API_ALLOWED_NETWORKS covers everything below the base, the token exchange too; unknown addresses are strangers. */
function refuseStrangers(deps: Deps, request: ApiRequest, peer: Peer, requestId: string): void {
  const { apiAllowedNetworks, trustedProxies } = deps.settings
  if (apiAllowedNetworks.length === 0) return
  const address = clientAddress(peer.remoteAddress ?? '', request.headers.get('x-forwarded-for'), trustedProxies)
  if (!isInNetworks(address, apiAllowedNetworks)) {
    deps.log.info({ requestId, address }, 'refused: the caller is not in API_ALLOWED_NETWORKS')
    throw new VaspError(403, 'RESTRICTED', 'This API answers only inside its own networks.')
  }
}

function refusalOf(deps: Deps, error: unknown, isExchange: boolean, requestId: string): Outcome {
  const known = isVaspError(error) ? error : deps.describeFailure(error)
  if (!isVaspError(error)) deps.log.error({ requestId, error }, 'request failed')
  const { status, code, message, options } = known
  const headers = options.headers ?? {}
  // The exchange's errors carry exactly one field.
  if (isExchange) return { status, body: { error: message }, headers }
  // Three readers, one body: the specification's `error`, and the `code` and `message` that gateways pass on to apps.
  const spellsError = status === 401 || message === 'JWT public key not configured'
  return { status, body: { ...(spellsError ? { error: message } : {}), code, message }, headers }
}

function apiHeaders(status: number, requestId: string): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-Request-Id': requestId,
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
  }
}
