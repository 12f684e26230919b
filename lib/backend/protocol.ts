import { createHash } from 'node:crypto'
import { createUmaAuthVasp, type CallEvent, type UmaAuthVasp } from 'uma-auth-vasp'
import { CURRENCY_CODES, currencyOf } from '../money/currencies'
import type { Settings } from '../platform/config'
import { clientAddress, isInNetworks } from '../platform/http/networks'
import { processSingletons } from '../platform/process-singletons'
import { takeRequestId } from '../platform/trace'
import type { Application } from './application'
import { makeBank } from './bank'
import { callToEvent, queryParameters } from './call-events'
import type { InjectedResponse } from './faults'

/** The VASP side of UMA Auth for this bank. */
export function makeProtocol(app: Application): UmaAuthVasp {
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
    umaRequestEndpoint: speaksUma && app.umaInvoices !== undefined ? `${settings.publicOrigin}/uma/request` : undefined,
  })
  const eventParts = { parameters: queryParameters(created), network: app.node.identity.network }
  return faults?.inResponses(created) ?? created
}

/** One log line for each call, without bodies. */
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

/** A separate key, so that a cookie is never valid as a pending login, or a pending login as a cookie. */
function pendingLoginSecret({ nextAuthSecret }: Pick<Settings, 'nextAuthSecret'>): string {
  return createHash('sha256').update(`pending-login:${nextAuthSecret}`).digest('hex')
}

/** The running process's VASP, for routes and pages. */
export function protocol(): UmaAuthVasp {
  const started = processSingletons().get('protocol') as UmaAuthVasp | undefined
  if (started === undefined) throw new Error('the server has not started')
  return started
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
