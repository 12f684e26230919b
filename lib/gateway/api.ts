import type { Deps } from '../deps'
import { VaspError, badInput, isVaspError } from '../errors'
import { clientAddress, isInNetworks } from '../http/networks'
import { runCommand } from './route'
import { matchPath } from './router'
import { ROUTES } from './routes'
import { exchangeToken, tokenError } from './exchange'

/** What the mount knows of the connection; undefined where it cannot know (a plain Next server). */
export interface Peer {
  readonly remoteAddress: string | undefined
}

export type Api = (request: Request, peer?: Peer) => Promise<Response>

interface Outcome {
  readonly response: Response
  readonly username?: string
  readonly connection?: string
}

/**
 * The whole gateway API as one function from Request to Response, with nothing of a framework in it: the production
 * server mounts it on node:http, and Next mounts the same function for everyone else.
 */
export function makeApi(deps: Deps): Api {
  return async (request, peer = { remoteAddress: undefined }) => {
    const startedAt = performance.now()
    const requestId = deps.ids.uuid()
    const path = new URL(request.url).pathname
    const outcome = await answer(deps, request, path, peer, requestId)
    deps.log.info({
      requestId,
      method: request.method,
      path: path.slice(0, 200),
      status: outcome.response.status,
      ms: Math.round(performance.now() - startedAt),
      username: outcome.username,
      connection: outcome.connection,
    })
    return withApiHeaders(outcome.response, requestId)
  }
}

async function answer(deps: Deps, request: Request, path: string, peer: Peer, requestId: string): Promise<Outcome> {
  const base = deps.settings.apiBasePath
  const isExchange = path === `${base}/token`
  try {
    refuseStrangers(deps, request, peer)
    const match = matchPath(request.method, path.startsWith(`${base}/`) ? path.slice(base.length) : '')
    switch (match.kind) {
      case 'unknown':
        throw new VaspError(404, 'NOT_FOUND', 'There is no such path in this API.')
      case 'other-method':
        throw new VaspError(405, 'OTHER', `This path takes ${match.allow}.`, { headers: { Allow: match.allow } })
      case 'exchange':
        return await exchangeToken(deps, request)
      case 'command': {
        const route = ROUTES.get(match.command)
        if (route === undefined) throw badInput('There is no such command.')
        const { reply, caller } = await runCommand(route, request, match.params, deps)
        return { response: Response.json(reply), username: caller.username, connection: caller.tokenId }
      }
    }
  } catch (error) {
    return { response: toErrorResponse(deps, error, isExchange, requestId) }
  }
}

/** API_ALLOWED_NETWORKS covers everything below the base, the token exchange too; unknown addresses are strangers. */
function refuseStrangers(deps: Deps, request: Request, peer: Peer): void {
  const { apiAllowedNetworks, trustedProxies } = deps.settings
  if (apiAllowedNetworks.length === 0) return
  const address = clientAddress(peer.remoteAddress ?? '', request.headers.get('x-forwarded-for'), trustedProxies)
  if (!isInNetworks(address, apiAllowedNetworks)) {
    throw new VaspError(403, 'RESTRICTED', 'This API answers only inside its own networks.')
  }
}

function toErrorResponse(deps: Deps, error: unknown, isExchange: boolean, requestId: string): Response {
  const known = isVaspError(error) ? error : deps.describeFailure(error)
  if (!isVaspError(error)) deps.log.error({ requestId, error }, 'request failed')
  const { status, code, message, options } = known
  if (isExchange) return tokenError(status, message, options.headers)
  // Three readers, one body: the specification's `error`, and the `code` and `message` that gateways pass on to apps.
  const spellsError = status === 401 || message === 'JWT public key not configured'
  return Response.json(
    { ...(spellsError ? { error: message } : {}), code, message },
    { status, headers: options.headers ?? {} },
  )
}

function withApiHeaders(response: Response, requestId: string): Response {
  response.headers.set('Cache-Control', 'no-store')
  response.headers.set('X-Content-Type-Options', 'nosniff')
  response.headers.set('Referrer-Policy', 'no-referrer')
  response.headers.set('X-Request-Id', requestId)
  if (response.status === 401) response.headers.set('WWW-Authenticate', 'Bearer')
  return response
}
