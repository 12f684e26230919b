import { createHash } from 'node:crypto'
import { z } from 'zod'
import {
  createUmaAuthVasp,
  type CallEvent,
  type UmaAuthVasp,
  PaymentPending,
  WalletError,
  type WalletBackend,
} from 'uma-auth-vasp'
import type { Application } from './application'
import { clientAddress, isInNetworks } from '../platform/http/networks'
import { CURRENCY_CODES, currencyOf, type CurrencyCode } from '../money/currencies'
import { parseJson } from '../platform/parse-json'
import { processSingletons } from '../platform/process-singletons'
import type { Settings } from '../platform/config'
import { takeRequestId } from '../platform/trace'

import { createConnection } from '../connections/service'
import { insertLoginGrant } from '../connections/login-grants'
import type { NewEvent } from '../events/types'
import { VaspError, isVaspError } from '../platform/errors'
import type { Admission } from '../platform/http/rate-limits'
import { accountOf } from '../accounts/account'
import { addressMethods } from './address-methods'
import { paymentHashOf } from './call-payment'
import type { CommandMethod, InjectedResponse } from './faults'
import { makeLoadCaller, type Caller } from './callers'
import { invoiceMethods } from './invoice-methods'
import { summaryOfUnknownPath } from '../events/unknown-path'
import type { BankMethods } from './methods'
import { paymentMethods } from './payment-methods'
import { walletMethods } from './wallet-methods'

/** The VASP side of UMA Auth for this bank. */
export function makeVasp(app: Application): UmaAuthVasp {
  const { settings, log, clock, ids, faults } = app
  const speaksUma = settings.umaSigningKeyHex !== undefined
  const created: UmaAuthVasp = createUmaAuthVasp({
    domain: settings.vaspDomain,
    name: settings.vaspName,
    gatewayRootUrl: settings.gatewayRootUrl,
    apiBasePath: settings.apiBasePath,
    keys: app.keys,
    loginSecret: pendingLoginSecret(settings),
    currencies: CURRENCY_CODES.map(currencyOf),
    backend: makeBank(app),
    log: { error: ({ err, ...fields }, message) => log.error({ ...fields, error: err }, message) },
    clock,
    newId: (of) => (of === 'request' ? takeRequestId() : undefined) ?? ids.uuid(),
    observe(event) {
      const injected = faults?.responseOf(event)
      logCall(app, event, injected)
      // Without the sandbox tools, no page shows events, so no event is built.
      if (settings.sandboxTools) app.events.record(callToEvent(event, eventParts, injected))
    },
    ...(settings.apiAllowedNetworks.length === 0 ? {} : { allows: (request) => isAllowed(app, request) }),
    umaMajorVersions: speaksUma ? [1, 0] : [],
    umaRequestEndpoint: speaksUma ? `${settings.publicOrigin}/uma/request` : undefined,
  })
  const eventParts = { parameters: queryParameters(created), invoicePrefix: app.node.identity.invoicePrefix }
  return faults?.inResponses(created) ?? created
}

/** A separate key, so that a cookie is never valid as a pending login, or a pending login as a cookie. */
function pendingLoginSecret({ nextAuthSecret }: Pick<Settings, 'nextAuthSecret'>): string {
  return createHash('sha256').update(`pending-login:${nextAuthSecret}`).digest('hex')
}

/** The running process's VASP, for routes and pages. */
export function vasp(): UmaAuthVasp {
  const started = processSingletons().get('vasp') as UmaAuthVasp | undefined
  if (started === undefined) throw new Error('the server has not started')
  return started
}

function logCall({ log }: Application, event: CallEvent, injected: InjectedResponse | undefined): void {
  const { requestId, method, path, status, durationMs, claims, failedCheck, connectionId } = event
  const fields = {
    requestId,
    method,
    path: path.slice(0, 200),
    status,
    ms: Math.round(durationMs),
    failedCheck,
    username: claims?.userId,
    connection: connectionId ?? claims?.id,
    ...(injected === undefined ? {} : { injected: injected.kind }),
  }
  log.info(fields, 'API call')
}

const MAX_PATH = 300
const MAX_QUERY = 2_000
const MAX_PARAMETERS = 20
const MAX_VALUE = 200

interface CallEventParts {
  readonly parameters: ReadonlySet<string>
  /** The prefix of BOLT-11 invoices on the node's network. */
  readonly invoicePrefix: string
}

/** The names of all query parameters of the API. */
function queryParameters({ api }: Pick<UmaAuthVasp, 'api'>): ReadonlySet<string> {
  return new Set(
    api.endpoints.flatMap(({ query }) => (query instanceof z.ZodObject ? Object.keys(query.shape as object) : [])),
  )
}

/** The event of an API call or a token exchange. Its owner comes from a token with a verified signature, or from a replay. */
function callToEvent(event: CallEvent, parts: CallEventParts, injected: InjectedResponse | undefined): NewEvent {
  const { requestId, route, method, path, query, durationMs, claims, failedCheck, bearerFault, connectionId } = event
  const { status, text } =
    injected === undefined ? { status: event.status, text: event.responseText } : (injected.sent ?? NO_RESPONSE)
  const storedQuery = knownQuery(query, parts.parameters)
  return {
    kind: route === 'POST /token' ? 'token_exchange' : 'api_call',
    name: route === 'unknown' ? 'unknown path' : route,
    userId: claims?.userId,
    connectionId: connectionId ?? (claims?.use === 'connection' ? claims.id : undefined),
    requestId,
    paymentHash: () => paymentHashOf(event, parts.invoicePrefix),
    replayOf: event.replayOf === undefined ? undefined : BigInt(event.replayOf),
    status,
    durationMs,
    failedCheck,
    summary: summaryOf(event, status, text),
    injected: injected?.kind,
    detail: {
      request: event.requestText,
      response: text,
      facts: {
        method: method.slice(0, 20),
        path: path.slice(0, MAX_PATH),
        query: storedQuery,
        // A replay needs the address as it was sent.
        isWholeAddress: path.length <= MAX_PATH && isWhole(query, storedQuery),
        claims,
        bearerFault,
      },
    },
  }
}

/** Keeps the values of the API's own parameters. Of others it keeps only the names, because a value may be a secret. */
function knownQuery(query: string, parameters: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(
    [...new URLSearchParams(query.slice(0, MAX_QUERY))]
      .slice(0, MAX_PARAMETERS)
      .map(([name, value]) => [name.slice(0, 40), parameters.has(name) ? value.slice(0, MAX_VALUE) : '[not stored]']),
  )
}

function isWhole(query: string, stored: Readonly<Record<string, string>>): boolean {
  return query === '' || new URLSearchParams(query).toString() === new URLSearchParams(stored).toString()
}

/** A connection that a fault has closed. */
const NO_RESPONSE = { status: undefined, text: undefined }

function summaryOf(
  { route, method, path }: CallEvent,
  status: number | undefined,
  text: string | undefined,
): string | undefined {
  if (status === undefined || text === undefined) return 'The connection was closed without a response.'
  if (status < 400) return undefined
  // A fault may send a body that is not the API's.
  const { code, message, error } = (parseJson(text) ?? {}) as { code?: string; message?: string; error?: string }
  const refusal = [code, message ?? error].filter((part) => part !== undefined).join(': ')
  return route === 'unknown' ? summaryOfUnknownPath(method.slice(0, 20), path, refusal) : refusal
}

/** No socket has this address, and no header sets it. */
const THIS_PROCESS = 'this process'

/** Calls the API from this process, which API_ALLOWED_NETWORKS does not restrict. All other checks apply. */
export async function callInProcess(api: Pick<UmaAuthVasp, 'handle'>, request: Request): Promise<Response> {
  const { method, url, headers, body } = request
  const {
    status,
    text,
    headers: answered,
  } = await api.handle({ method, url, headers, body, remoteAddress: THIS_PROCESS })
  return new Response(text === '' ? null : text, { status, headers: answered })
}

/** API_ALLOWED_NETWORKS covers all paths of the API, including the token exchange. A client without a known address is refused. */
function isAllowed(
  { settings, log }: Application,
  {
    remoteAddress = '',
    headers,
  }: { readonly remoteAddress?: string | undefined; readonly headers: Pick<Headers, 'get'> },
): boolean {
  if (remoteAddress === THIS_PROCESS) return true
  const { apiAllowedNetworks, trustedProxies } = settings
  const address = clientAddress(remoteAddress, headers.get('x-forwarded-for'), trustedProxies)
  if (isInNetworks(address, apiAllowedNetworks)) return true
  log.info({ address }, 'refused: the client is not in API_ALLOWED_NETWORKS')
  return false
}

/** The interface that the protocol package requires of a bank, implemented with this bank's users, ledger and node. */
function makeBank(app: Application): WalletBackend<Caller, CurrencyCode, Admission> {
  const loadCaller = makeLoadCaller(app.db)
  const { db, limits, events } = app
  const methods: BankMethods = {
    ...walletMethods(app),
    ...invoiceMethods(app),
    ...paymentMethods(app),
    ...addressMethods(app),
  }
  const translate = translated(app)
  const withFaults = (method: CommandMethod): CommandMethod => app.faults?.inMethod(method) ?? method
  return {
    ...(Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [name, translate(withFaults(atWork(method)))]),
    ) as unknown as BankMethods),
    admit: translate(async ({ id, userId }) => {
      limits.consume(id)
      return limits.admit(userId)
    }),
    logins: {
      create: translate(({ sessionId, appHost, clientId, ...login }) => {
        if (sessionId === undefined) throw new Error('a login belongs to a session')
        return insertLoginGrant(db, { ...login, sessionId, appHost: appHost ?? null, clientId: clientId ?? null })
      }),
      find: translate(async ({ id, userId }) => {
        const account = await accountOf(db, userId, id)
        if (account === undefined) return 'unknown-user'
        return account.status === 'active' && account.hasGrant ? 'open' : 'closed'
      }),
    },
    connections: {
      create: translate(async (connection) => {
        const outcome = await createConnection(app, connection)
        if (outcome === 'many') throw tooManyConnections(app.settings)
        const { id: connectionId, userId } = connection
        if (outcome === 'created')
          events.record({ kind: 'connection', name: 'connection created', userId, connectionId })
        return outcome
      }),
      open: translate(async (claims, slot) => {
        await slot.startWork()
        try {
          return await loadCaller(claims)
        } finally {
          slot.pauseWork()
        }
      }),
    },
  }
}

function tooManyConnections({ maxActiveConnectionsPerUser: max, publicOrigin }: Settings): VaspError {
  return new VaspError(
    429,
    'RATE_LIMITED',
    `This user has ${max.toLocaleString('en-GB')} active connections, which is the maximum. Revoke the unused ones together at ${publicOrigin}/connections, then connect again.`,
  )
}

/** Counts a running command against the limit for all users together. */
function atWork(method: (...call: never[]) => unknown) {
  return async (caller: Caller, input: unknown, context: { readonly slot: Admission }): Promise<unknown> => {
    await context.slot.startWork()
    return method(...([caller, input, context] as never[]))
  }
}

/** Translates the bank's errors into the protocol's. A database that does not answer becomes 503; unexpected errors are thrown unchanged. */
function translated({ describeFailure }: Pick<Application, 'describeFailure'>) {
  return <Args extends unknown[], Result>(method: (...args: Args) => Result | Promise<Result>) =>
    async (...args: Args): Promise<Awaited<Result>> => {
      try {
        return await method(...args)
      } catch (error) {
        throw toWalletError(error, describeFailure)
      }
    }
}

function toWalletError(error: unknown, describeFailure: Application['describeFailure']): unknown {
  const known = isVaspError(error) ? error : describeFailure(error)
  // The handler logs the error with its cause and answers without its text.
  if (!isVaspError(error) && known.status === 500) return error
  if (known.status === 504) return new PaymentPending(known.message)
  const retryAfter = known.options.headers?.['Retry-After']
  return new WalletError(known.code, known.message, {
    cause: known.cause,
    retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
  })
}
