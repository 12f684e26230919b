import type { ApiEndpoint, Handler } from './api.ts'
import type { Slot, WalletBackend } from './backend.ts'
import type { CallEvent } from './call.ts'
import { DEFAULT_CALLBACK_TIMEOUT_SECONDS, safeLog, type Log } from './callbacks.ts'
import { COMMANDS, type CommandName } from './commands.ts'
import { currentCurrencies, faultOf, type Currencies } from './currencies.ts'
import { discoveryDocument } from './discovery.ts'
import { createEndpoints } from './endpoints.ts'
import { createHandler } from './handler.ts'
import { canSign, type VaspKeys } from './keys.ts'
import { createLogin, type Login } from './login.ts'
import type { OwnClaims } from './own-claims.ts'
import type { ApiRequest } from './request.ts'
import { createTokens, type Clock, type Tokens } from './tokens.ts'
import type { Trace } from './tracing.ts'

export interface UmaAuthVaspOptions<Caller extends object, Code extends string, S extends Slot> {
  /**
   * Host, plus the port if it is not the scheme's default: `bank.example`. It is `iss` and `aud` of the tokens. A bank with several
   * tenants creates one VASP for each, with a domain, keys and a login secret of its own: an instance holds no connection and costs little.
   */
  readonly domain: string
  /** Name of the VASP, for the discovery document and `/info`. */
  readonly name: string
  /** Public root of the gateway, which may have a path. */
  readonly gatewayRootUrl: string | URL
  /** Path of the API; `/umanwc/v1` when absent. */
  readonly apiBasePath?: string | undefined
  /**
   * Path below which your server receives all requests of the VASP, such as `/uma`; the root when absent. It precedes `apiBasePath` and
   * the paths of the documents. A gateway still asks for `/.well-known/uma-configuration` at the root of the domain.
   */
  readonly mountPath?: string | undefined
  readonly keys: VaspKeys
  /** Signs pending sign-in requests: at least 32 random characters, the same on all instances. */
  readonly loginSecret: string
  /**
   * Every currency that a wallet can hold. At least one. A function returns the list of this moment: it is asked when a call or a login
   * names a currency, and a list that cannot be used is logged and answered with 500, before anything is paid. The OpenAPI document then
   * lists no codes.
   */
  readonly currencies: Currencies<Code>
  /** Its codes are those of `currencies`: no more and no fewer. */
  readonly backend: WalletBackend<Caller, NoInfer<Code>, S>
  /** Compatible with a pino logger. When absent, errors go to the console. */
  readonly log?: Log | undefined
  readonly clock?: Clock | undefined
  /** Unguessable ids of tokens and requests; random UUIDs when absent. It may return the id that the server has given the request. */
  readonly newId?: ((of: 'request' | 'token') => string) | undefined
  /**
   * Called once per call, when its response is ready. It cannot change or fail the response: it is not awaited, and an error or a
   * rejection is only logged.
   */
  readonly observe?: ((event: CallEvent) => unknown) | undefined
  /** Called at the start of each call, of each document and of each redirect of a login, and at its end: see `Trace`. */
  readonly trace?: Trace | undefined
  /**
   * Optional network restriction (specification, What the service does 6): false answers 403 before anything else. Only exactly `true`
   * admits; any other answer is logged and answered with 500.
   */
  readonly allows?: ((request: ApiRequest) => boolean | Promise<boolean>) | undefined
  /**
   * Claims of your own for the tokens, for readers besides this package: an object of at most 256 characters as JSON. It must not have the
   * names of the package's own claims. Anything else is logged and answered with 500, and no token is issued.
   */
  readonly ownClaims?: OwnClaims | undefined
  /**
   * How long `allows`, `currencies`, `ownClaims` and the backend's `admit`, `commandsOf`, `logins` and `connections` may take before the
   * answer is 500; 10 when absent. A command method has no limit: the payment that it makes may take minutes.
   */
  readonly callbackTimeoutSeconds?: number | undefined
  /** UMA versions that this VASP supports, for the discovery document; none when absent. */
  readonly umaMajorVersions?: readonly number[] | undefined
  readonly umaRequestEndpoint?: string | undefined
  /** Serves `/openapi.json`: pass `openApiDocument` of `uma-auth-vasp/openapi`. Called once, before `createUmaAuthVasp` returns. */
  readonly openApi?: ((vasp: UmaAuthVasp) => unknown) | undefined
}

export interface UmaAuthVasp extends Handler {
  /** API, token exchange and discovery as one function; 404 for any other path. Never rejects. */
  fetch(request: Request): Promise<Response>
  /** Whether a path belongs to the VASP: everything below the API base, the discovery document, and `/openapi.json` if it is served. */
  owns(path: string): boolean
  readonly login: Login
  readonly tokens: Tokens
  /** The discovery document. */
  discovery(): Record<string, unknown>
  /** The commands that the backend implements, as spelled in VASP_SUPPORTED_COMMANDS. */
  readonly commands: readonly CommandName[]
  /** For tools that describe the API. */
  readonly api: {
    readonly name: string
    readonly domain: string
    readonly basePath: string
    /** The endpoints of the implemented commands. */
    readonly endpoints: readonly ApiEndpoint[]
  }
}

const DISCOVERY_PATH = '/.well-known/uma-configuration'
const OPENAPI_PATH = '/openapi.json'
/**
 * Creates the VASP side of UMA Auth for a bank's backend. It holds no global state and opens no connection.
 * @throws TypeError for options that cannot work, with the option's name.
 */
export function createUmaAuthVasp<Caller extends object, const Code extends string, S extends Slot = Slot>(
  options: UmaAuthVaspOptions<Caller, Code, S>,
): UmaAuthVasp {
  const { name, domain, currencies, keys, clock = systemClock } = options
  const { callbackTimeoutSeconds: timeoutSeconds = DEFAULT_CALLBACK_TIMEOUT_SECONDS } = options
  const { apiBasePath = '/umanwc/v1', mountPath = '', newId = () => crypto.randomUUID() } = options
  const { allows, observe, trace } = options
  const gatewayRoot = checkOptions({ ...options, apiBasePath, mountPath })
  const basePath = `${mountPath}${apiBasePath}`
  const log = safeLog(options.log ?? consoleLog)
  // Only the caller of this function knows the backend's own types. The value from connections.open is passed on unread.
  const backend = options.backend as unknown as WalletBackend
  const implemented = COMMANDS.filter(({ backendMethod }) => backend[backendMethod] !== undefined)
  const commands = Object.freeze(implemented.map((each) => each.name))
  const isFunction = typeof currencies === 'function'
  const endpoints = createEndpoints({ name, currencies: isFunction ? [] : currencies })
  let latest: { readonly codes: string; readonly endpoints: typeof endpoints } | undefined
  const currentEndpoints = async (): Promise<typeof endpoints> => {
    const list = await currentCurrencies(currencies, timeoutSeconds)
    const codes = JSON.stringify(list)
    if (latest?.codes !== codes) latest = { codes, endpoints: createEndpoints({ name, currencies: list }) }
    return latest.endpoints
  }
  const tokens = createTokens({ keys, domain, clock, timeoutSeconds, ownClaims: options.ownClaims })
  const secret = new TextEncoder().encode(options.loginSecret)
  const common = { backend, tokens, clock, log, newId, timeoutSeconds, trace }
  const login = createLogin({ ...common, domain, gatewayRoot, currencies, secret })
  const { umaMajorVersions = [], umaRequestEndpoint } = options
  const discovery = (): Record<string, unknown> =>
    discoveryDocument({ name, gatewayRoot, commands, umaMajorVersions, umaRequestEndpoint })

  /** Serialized once: anyone may fetch them, and generating the OpenAPI document takes 7 ms. */
  const documents = new Map([[`${mountPath}${DISCOVERY_PATH}`, JSON.stringify(discovery())]])
  const handler = createHandler({
    ...common,
    basePath,
    endpoints,
    currentEndpoints: isFunction ? currentEndpoints : undefined,
    commands,
    documents,
    allows,
    observe,
  })

  const vasp: UmaAuthVasp = {
    ...handler,
    async fetch(request) {
      const { status, headers, text } = await handler.handle(request)
      return new Response(request.method === 'HEAD' || text === '' ? null : text, { status, headers })
    },
    owns: (path) => documents.has(path) || path === basePath || path.startsWith(`${basePath}/`),
    login,
    tokens,
    discovery,
    commands,
    api: {
      name,
      domain,
      basePath,
      endpoints: Object.values(endpoints).filter(({ command }) => commands.includes(command.name)),
    },
  }
  if (options.openApi !== undefined) documents.set(`${mountPath}${OPENAPI_PATH}`, documentText(options.openApi(vasp)))
  return vasp
}

/**
 * Checks the options at once, also for callers without type checks.
 * @returns the gateway's root.
 */
function checkOptions<Caller extends object, Code extends string, S extends Slot>(
  options: UmaAuthVaspOptions<Caller, Code, S>,
): URL {
  const { domain, apiBasePath, mountPath, loginSecret, currencies, keys, backend, gatewayRootUrl } = options
  const require = (isValid: boolean, rule: string): void => {
    if (!isValid) throw new TypeError(rule)
  }
  const matches = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value)
  require(matches(domain, /^[a-z0-9.-]+(:\d+)?$/), 'domain must be a host in lower case, without a scheme or a path')
  require(matches(apiBasePath, /^(\/[\w.-]+)+$/), 'apiBasePath must begin with a slash and not end with one')
  require(mountPath === '' ||
    matches(mountPath, /^(\/[\w.-]+)+$/), 'mountPath must begin with a slash and not end with one')
  require(matches(loginSecret, /^.{32,}$/s), 'loginSecret must have at least 32 characters')
  const fault = typeof currencies === 'function' ? undefined : faultOf(currencies)
  require(fault === undefined, `currencies ${fault}`)
  require(Array.isArray(keys?.verification), 'keys must be the result of importKeys: await it')
  require(keys.signing === undefined ||
    canSign(keys.signing), 'keys.signing must be a private CryptoKey for ES256, or an object with sign and a plain kid')
  const { log, observe, trace, allows, newId, openApi, ownClaims, clock, callbackTimeoutSeconds: limit = 1 } = options
  for (const [name, value] of Object.entries({ observe, trace, allows, newId, openApi, ownClaims }))
    require(value === undefined || typeof value === 'function', `${name} must be a function`)
  require(typeof limit === 'number' &&
    limit > 0 &&
    limit <= 3_600, 'callbackTimeoutSeconds must be above 0, at most 3600')
  const implement = (target: unknown, ...names: string[]): boolean =>
    names.every((name) => typeof (target as Record<string, unknown> | undefined)?.[name] === 'function')
  require(implement(backend, 'getInfo', 'estimateBudget'), 'backend must have getInfo and estimateBudget')
  require(implement(backend.logins, 'create', 'find'), 'backend must have logins.create and logins.find')
  require(implement(backend.connections, 'create', 'open'), 'backend must have connections.create and connections.open')
  require(log === undefined || implement(log, 'error'), 'log must have error')
  require(clock === undefined || implement(clock, 'now'), 'clock must have now')
  const root = URL.canParse(gatewayRootUrl ?? '') ? new URL(gatewayRootUrl) : undefined
  if (root === undefined || !/^https?:$/.test(root.protocol) || root.href !== `${root.origin}${root.pathname}`)
    throw new TypeError('gatewayRootUrl must be an http or https URL without user info, query or fragment')
  return root
}

function documentText(document: unknown): string {
  if (
    typeof document !== 'object' ||
    document === null ||
    typeof (document as PromiseLike<unknown>).then === 'function'
  )
    throw new TypeError('openApi must return the document, not a promise of it')
  return JSON.stringify(document)
}

const systemClock: Clock = { now: () => new Date() }
const consoleLog: Log = { error: (fields, message) => console.error(message, fields) }
