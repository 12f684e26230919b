import { createHash } from 'node:crypto'
import { createUmaAuthVasp, type CallEvent, type UmaAuthVasp } from 'uma-auth-vasp'
import type { Deps } from '../deps'
import { clientAddress, isInNetworks } from '../http/networks'
import { CURRENCY_CODES, currencyOf } from '../money/currencies'
import { processStore } from '../once'
import type { Settings } from '../settings'
import { makeBank } from './bank'

/** The VASP side of UMA Auth over this bank. */
export function makeVasp(deps: Deps): UmaAuthVasp {
  const { settings, log, clock, ids } = deps
  const speaksUma = settings.umaSigningKeyHex !== undefined
  return createUmaAuthVasp({
    domain: settings.vaspDomain,
    name: settings.vaspName,
    gatewayRootUrl: settings.gatewayRootUrl,
    apiBasePath: settings.apiBasePath,
    keys: deps.keys,
    loginSecret: pendingLoginSecret(settings),
    currencies: CURRENCY_CODES.map(currencyOf),
    backend: makeBank(deps),
    log: { error: ({ err, ...fields }, message) => log.error({ ...fields, error: err }, message) },
    clock,
    newId: () => ids.uuid(),
    observe: (event) => logCall(deps, event),
    ...(settings.apiAllowedNetworks.length === 0 ? {} : { allows: (request) => isAllowed(deps, request) }),
    umaMajorVersions: speaksUma ? [1, 0] : [],
    umaRequestEndpoint: speaksUma ? `${settings.publicOrigin}/uma/request` : undefined,
  })
}

/** A key of its own, so that no cookie can pass for a pending login, nor the other way round. */
export function pendingLoginSecret({ nextAuthSecret }: Pick<Settings, 'nextAuthSecret'>): string {
  return createHash('sha256').update(`pending-login:${nextAuthSecret}`).digest('hex')
}

/** The running process's VASP, for routes and pages. */
export function vasp(): UmaAuthVasp {
  const started = processStore().get('vasp') as UmaAuthVasp | undefined
  if (started === undefined) throw new Error('the server has not started')
  return started
}

function logCall({ log }: Deps, event: CallEvent): void {
  const { requestId, method, path, status, durationMs, claims, failedCheck, connectionId } = event
  log.info({
    requestId,
    method,
    path: path.slice(0, 200),
    status,
    ms: Math.round(durationMs),
    failedCheck,
    username: claims?.userId,
    connection: connectionId ?? claims?.id,
  })
}

/** API_ALLOWED_NETWORKS covers everything below the base, the token exchange too. A client of unknown address is refused. */
function isAllowed(
  { settings, log }: Deps,
  {
    remoteAddress = '',
    headers,
  }: { readonly remoteAddress?: string | undefined; readonly headers: Pick<Headers, 'get'> },
): boolean {
  const { apiAllowedNetworks, trustedProxies } = settings
  const address = clientAddress(remoteAddress, headers.get('x-forwarded-for'), trustedProxies)
  if (isInNetworks(address, apiAllowedNetworks)) return true
  log.info({ address }, 'refused: the client is not in API_ALLOWED_NETWORKS')
  return false
}
