import { addressOf, originForLog, type PendingLogin, type UmaAuthVasp } from 'uma-auth-vasp'
import type { SessionUser } from '../accounts/sessions/session-store'
import type { AccountPorts } from '../accounts/types'
import { isActiveUser } from '../accounts/users'
import type { EventRecorder } from '../events/recorder'
import { isCurrencyCode } from '../money/currencies'
import type { RateLimits } from '../platform/http/rate-limits'
import { plainText, seeOther } from '../platform/http/responses'
import { issuedLogin } from './issued-login'

interface LoginPorts extends Pick<AccountPorts, 'db' | 'settings' | 'boundedLog'> {
  readonly events: EventRecorder
  readonly limits: Pick<RateLimits, 'consumeLoginRedirect'>
}

/** The browser that sent the request. */
export interface ConnectBrowser {
  readSession(): Promise<({ sessionId: string } & SessionUser) | null>
  /** The secret value of the browser's sign-in cookie, to which the gateway's request is bound. */
  readonly binding: string
}

/**
 * `GET /connect` (specification, authorization flow 2 and 3): checks the gateway's request, asks the user to sign in or to choose, and
 * sends the browser back with a login token. Nothing is looked up or shown before the redirect_uri has been validated, and a
 * token is created only when the browser will receive it.
 */
export async function answerConnect(
  ports: LoginPorts,
  vasp: Pick<UmaAuthVasp, 'login'>,
  request: Pick<Request, 'method' | 'url'>,
  browser: ConnectBrowser,
): Promise<Response> {
  const params = new URL(request.url).searchParams
  const fromOurPage = params.has('pending')
  const login = await (fromOurPage ? readPending(ports, vasp, params, browser) : start(ports, vasp, request, browser))
  if (login instanceof Response) return login
  const session = await browser.readSession()
  const toSignIn = seeOther(signInAddress(login.pending))
  if (session === null) return toSignIn
  const { username, sessionId } = session
  if (session.suspended) {
    const { gatewayOrigin } = login
    ports.boundedLog.info(
      { reason: 'suspended', asked: gatewayOrigin, gateway: gatewayOrigin, username },
      'login refused',
    )
    return plainText(403, 'This account is suspended. It cannot be connected. Contact your wallet operator.')
  }
  // The page offered to continue as the user in `as`, but another tab may have signed in another user since.
  if ((params.get('as') ?? username) !== username) return toSignIn
  if (!fromOurPage && (await asksForAnotherUser(ports, login, username))) return toSignIn
  ports.limits.consumeLoginRedirect(sessionId)
  const currencyCode = session.currencyCodes.find(isCurrencyCode)
  if (currencyCode === undefined) throw new Error('a user without a wallet cannot be connected')
  const answer = await vasp.login.finish({
    method: request.method,
    pending: login.pending,
    sessionBinding: browser.binding,
    user: { id: username, address: addressOf(username, ports.settings.vaspDomain), currencyCode },
    sessionId,
  })
  ports.events.record({
    kind: 'login',
    name: 'login token issued',
    userId: username,
    status: answer.status,
    summary: `for ${login.gatewayOrigin}`,
    detail: {
      facts: {
        redirectOrigin: login.gatewayOrigin,
        gatewayOrigin: ports.settings.gatewayRootUrl.origin,
        loginId: issuedLogin(answer)?.id,
      },
    },
  })
  return answer
}

async function start(
  ports: LoginPorts,
  vasp: Pick<UmaAuthVasp, 'login'>,
  request: Pick<Request, 'method' | 'url'>,
  { binding }: ConnectBrowser,
): Promise<PendingLogin | Response> {
  const login = await vasp.login.start(request, binding)
  if (login instanceof Response) logRefusal(ports, new URL(request.url).searchParams)
  else
    ports.events.record({
      kind: 'login',
      name: 'login offered',
      summary: `to ${login.gatewayOrigin}`,
      detail: { facts: { redirectOrigin: login.gatewayOrigin, gatewayOrigin: ports.settings.gatewayRootUrl.origin } },
    })
  return login
}

/** An expired request leads back to the sign-in page, which explains the expiry. */
async function readPending(
  ports: LoginPorts,
  vasp: Pick<UmaAuthVasp, 'login'>,
  params: URLSearchParams,
  { binding }: ConnectBrowser,
): Promise<PendingLogin | Response> {
  const [pending = '', ...more] = params.getAll('pending')
  const isAlone = more.length === 0 && !params.has('redirect_uri')
  const login = isAlone ? await vasp.login.read(pending, binding) : 'invalid'
  if (login === 'expired') return seeOther(signInAddress(pending))
  if (login !== 'invalid') return login
  logRefusal(ports, params)
  return plainText(400, 'Invalid redirect_uri')
}

function signInAddress(pending: string): string {
  return `/login?pending=${pending}`
}

/** The target of the sign-in form. Only a page in this browser can lead here, so the user has chosen. */
export function continueAddress(pending: string): string {
  return `/connect?pending=${pending}`
}

/** The address behind "Continue as …". It contains the user name that the page showed, because another tab may change the session. */
export function continueAs(callback: string, username: string): string {
  return `${callback}&${new URLSearchParams({ as: username })}`
}

function logRefusal({ boundedLog, events, settings }: LoginPorts, params: URLSearchParams): void {
  const asked = originForLog(params.get('redirect_uri'))
  const gateway = settings.gatewayRootUrl.origin
  boundedLog.info({ reason: 'redirect_uri', asked, gateway }, 'login refused')
  events.record({
    kind: 'login',
    name: 'login refused',
    status: 400,
    failedCheck: 'redirect_uri',
    summary: summaryOf(asked, gateway),
    detail: { facts: { redirectOrigin: asked, gatewayOrigin: gateway } },
  })
}

/** `asked` is an origin, or one of the two words of `originForLog`. */
function summaryOf(asked: string, gateway: string): string {
  if (asked === 'none') return 'the request has no redirect_uri'
  return URL.canParse(asked)
    ? `redirect_uri leads to ${asked}, but GATEWAY_ROOT_URL is ${gateway}`
    : 'redirect_uri is not a web address'
}

/** True when the app names another user of this VASP: then the signed-in user chooses. */
async function asksForAnotherUser(ports: LoginPorts, { asksFor }: PendingLogin, username: string): Promise<boolean> {
  if (asksFor === undefined || asksFor === username) return false
  return isActiveUser(ports.db, asksFor)
}
