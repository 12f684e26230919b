import type { Slot, WalletBackend } from './backend.ts'
import type { CallEvent, Log } from './call.ts'
import { COMMANDS, type CommandName } from './commands.ts'
import type { Currency } from './currency.ts'
import { discoveryDocument } from './discovery.ts'
import { createEndpoints, type Endpoint } from './endpoints.ts'
import { createHandler } from './handler.ts'
import type { VaspKeys } from './keys.ts'
import { createLogin, type Login } from './login.ts'
import { splitUrl, type ApiRequest, type ApiResponse } from './request.ts'
import { createTokens, type Clock, type Tokens } from './tokens.ts'

export interface UmaAuthVaspOptions<Caller, Code extends string, S extends Slot> {
  /** Host, with a port that is not the scheme's default: `bank.example`. It is `iss` and `aud` of the tokens. */
  readonly domain: string
  /** Name of the VASP, for the discovery document and `/info`. */
  readonly name: string
  /** Public root of the gateway, which may have a path. */
  readonly gatewayRootUrl: string | URL
  /** Path of the API; `/umanwc/v1` when absent. */
  readonly apiBasePath?: string
  readonly keys: VaspKeys
  /** Signs sign-in requests while the user signs in: at least 32 random characters, the same on all instances. */
  readonly loginSecret: string
  /** Every currency that a wallet can hold. At least one. */
  readonly currencies: readonly Currency<Code>[]
  readonly backend: WalletBackend<Caller, Code, S>
  /** A pino logger fits. Errors go to the console when absent. */
  readonly log?: Log
  readonly clock?: Clock
  /** Unguessable ids of tokens and requests; random UUIDs when absent. */
  readonly newId?: () => string
  /** Called once for each call when its response is ready. It cannot change or fail the response. */
  readonly observe?: (event: CallEvent) => void
  /** Optional network restriction (specification, What the service does 6): false answers 403 before anything else. */
  readonly allows?: (request: ApiRequest) => boolean
  /** UMA versions that this VASP speaks, for the discovery document; none when absent. */
  readonly umaMajorVersions?: readonly number[]
  readonly umaRequestEndpoint?: string | undefined
  /** Serves `/openapi.json`: pass `openApiDocument` of `uma-auth-vasp/openapi`. */
  readonly openApi?: (vasp: UmaAuthVasp) => unknown
}

export interface UmaAuthVasp {
  /** API, token exchange and discovery as one function; 404 for any other path. Never rejects. */
  fetch(request: Request): Promise<Response>
  /** The same without web objects, for `node:http`. */
  handle(request: ApiRequest): Promise<ApiResponse>
  /** Whether a path belongs to the VASP: everything below the API base, the discovery document, and `/openapi.json` if it is served. */
  owns(path: string): boolean
  readonly login: Login
  readonly tokens: Tokens
  /** The discovery document. */
  discovery(): Record<string, unknown>
  /** The commands that the backend implements, in the spelling of VASP_SUPPORTED_COMMANDS. */
  readonly commands: readonly CommandName[]
  /** For tools that describe the API. */
  readonly api: {
    readonly name: string
    readonly domain: string
    readonly basePath: string
    /** Of the implemented commands. */
    readonly endpoints: readonly Endpoint[]
  }
}

const DISCOVERY_PATH = '/.well-known/uma-configuration'
const OPENAPI_PATH = '/openapi.json'
const PUBLIC_DOCUMENT = {
  'Content-Type': 'application/json',
  'Access-Control-Allow-Origin': '*',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}
const SHORTEST_SECRET = 32

/**
 * Creates the VASP side of UMA Auth over a bank. It holds no global state and opens nothing.
 * @throws TypeError for options that cannot work, with the option's name.
 */
export function createUmaAuthVasp<Caller, const Code extends string, S extends Slot = Slot>(
  options: UmaAuthVaspOptions<Caller, Code, S>,
): UmaAuthVasp {
  const { name, domain, currencies, keys, apiBasePath = '/umanwc/v1', log = consoleLog, clock = systemClock } = options
  const { newId = () => crypto.randomUUID(), allows, observe, openApi } = options
  if (!/^[a-z0-9.-]+(:\d+)?$/.test(domain))
    throw new TypeError('domain must be a host in lower case, without a scheme or a path')
  if (!/^(\/[\w.-]+)+$/.test(apiBasePath))
    throw new TypeError('apiBasePath must begin with a slash and not end with one')
  if (options.loginSecret.length < SHORTEST_SECRET)
    throw new TypeError(`loginSecret must have at least ${SHORTEST_SECRET} characters`)
  if (currencies.length === 0) throw new TypeError('currencies must not be empty')
  if (!currencies.every(({ code }) => /^.{1,3}$/.test(code)))
    throw new TypeError('currencies must have codes of one to three characters')
  if (
    !/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(String(options.gatewayRootUrl)) ||
    !URL.canParse(options.gatewayRootUrl)
  )
    throw new TypeError('gatewayRootUrl must be a web address without user, query and fragment')
  const gatewayRoot = new URL(options.gatewayRootUrl)
  // The backend's own types are known to the caller of this function only. What connections.open returns is passed on unread.
  const backend = options.backend as unknown as WalletBackend
  const commands = COMMANDS.filter(({ backendMethod }) => backend[backendMethod] !== undefined).map((each) => each.name)
  const endpoints = createEndpoints({ name, domain, currencies, commands })
  const tokens = createTokens({ keys, domain, clock })
  const parts = { basePath: apiBasePath, backend, endpoints, tokens, domain, clock, log, newId, allows, observe }
  const handleCall = createHandler(parts)
  const secret = new TextEncoder().encode(options.loginSecret)
  const login = createLogin({ backend, tokens, gatewayRoot, domain, currencies, clock, newId, secret })
  const { umaMajorVersions = [], umaRequestEndpoint } = options
  const discovery = (): Record<string, unknown> =>
    discoveryDocument({ name, gatewayRoot, commands, umaMajorVersions, umaRequestEndpoint })

  const documents = new Map<string, () => unknown>([[DISCOVERY_PATH, discovery]])
  if (openApi !== undefined) documents.set(OPENAPI_PATH, () => openApi(vasp))

  async function handle(request: ApiRequest): Promise<ApiResponse> {
    const document = documents.get(splitUrl(request.url).path)
    if (document === undefined) return handleCall(request)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return {
        status: 405,
        headers: { ...PUBLIC_DOCUMENT, Allow: 'GET' },
        text: JSON.stringify({ error: 'This path takes GET.' }),
      }
    try {
      return { status: 200, headers: PUBLIC_DOCUMENT, text: JSON.stringify(document()) }
    } catch (error) {
      log.error({ error }, 'document failed')
      return {
        status: 500,
        headers: PUBLIC_DOCUMENT,
        text: JSON.stringify({ error: 'Something went wrong on our side.' }),
      }
    }
  }

  const vasp: UmaAuthVasp = {
    handle,
    async fetch(request) {
      const { status, headers, text } = await handle(request)
      return new Response(request.method === 'HEAD' ? null : text, { status, headers })
    },
    owns: (path) => documents.has(path) || path === apiBasePath || path.startsWith(`${apiBasePath}/`),
    login,
    tokens,
    discovery,
    commands,
    api: {
      name,
      domain,
      basePath: apiBasePath,
      endpoints: [...endpoints.values()].filter(({ command }) => commands.includes(command.name)),
    },
  }
  return vasp
}

const systemClock: Clock = { now: () => new Date() }
const consoleLog: Log = { error: (fields, message) => console.error(message, fields) }
