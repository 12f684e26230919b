import { errors, jwtVerify, SignJWT } from 'jose'
import * as z from 'zod'
import type { NewLogin, WalletBackend } from './backend.ts'
import { ask, idFrom, wrongAnswer, type Log } from './callbacks.ts'
import { currentCurrencies, type Currencies } from './currencies.ts'
import { refusalOf, SIGNING_KEY_MISSING } from './errors.ts'
import { checkRedirectUri, returnAddress, type LoginReturn } from './redirect-uri.ts'
import { splitUrl } from './request.ts'
import { epochSeconds, isAddress, timeOf, USER_ID, type Clock, type Tokens } from './tokens.ts'
import { begin, type LoginFault, type Trace } from './tracing.ts'

/** How long a user may take to sign in. */
export const PENDING_SECONDS = 600
/** In characters. A random secret of 128 bits is longer than this in any usual encoding. */
const MIN_BINDING_LENGTH = 16
const AUDIENCE = 'uma-auth-pending-login'

/** A gateway's login request that waits for the user to sign in. */
export interface PendingLogin {
  /** Signed text: put it into the sign-in form or the address of the sign-in page. */
  readonly pending: string
  /**
   * The user that the app asks for, as the user part of an address of this VASP: `bob` for `$bob@bank.example`. Not an id. When the
   * signed-in user has no such address, let the user choose before you call `finish`.
   */
  readonly asksFor: string | undefined
  readonly gatewayOrigin: string
  readonly returnPath: string
  /** Claimed by the request, not verified: show it as such. */
  readonly appHost: string | undefined
  readonly clientId: string | undefined
}

export interface LoginUser {
  /**
   * `sub` of the tokens: your own id of the user, 1 to 255 printable ASCII characters, such as a UUID, a number or `auth0|123`. It
   * must never change, and never belong to another user.
   */
  readonly id: string
  /**
   * The UMA address that this login connects, in lower case: `$alice@bank.example`. The domain may be another one of yours. A user may
   * have several addresses, and may change them: an existing connection keeps the address in its token, and `getInfo` may return the
   * current one.
   */
  readonly address: string
  /** The user's default currency. */
  readonly currencyCode: string
}

/** The login redirect (specification, authorization flow 1 to 3). Mount it at the address that the gateway's UMA_VASP_LOGIN_URL names. */
export interface Login {
  /**
   * Checks the `redirect_uri` of a gateway's request. Call it first, before anything is looked up or shown.
   * @param sessionBinding a secret value that this browser's session or cookie holds. `finish` accepts the request only with the same
   *   value, so that no link can continue another browser's request.
   * @returns a 400, 405 or 500 response to send, or the request, bound to the browser for ten minutes.
   * @throws TypeError for a `sessionBinding` that is no such secret.
   */
  start(request: Pick<Request, 'method' | 'url'>, sessionBinding: string): Promise<Response | PendingLogin>
  /** @returns the request behind `pending`, to show it on a sign-in page; `expired` or `invalid` when it cannot be continued. */
  read(pending: string, sessionBinding: string): Promise<PendingLogin | 'expired' | 'invalid'>
  /**
   * Checks the request again, stores the login, and redirects the browser to the gateway with a login token valid for ten minutes.
   * Call it only for the user of your own session, in answer to a GET or POST from this browser. A request is finished once: its id
   * is the id of its login, and `logins.create` creates each id once.
   * @param sessionId stored with the login, for operators that end a session's logins when the user signs out.
   * @returns the 303 to send; 400 for a request that is invalid, expired, finished before, or from another browser; 500 or the bank's
   *   own refusal when the login cannot be stored.
   * @throws TypeError for a user that cannot be connected at all.
   */
  finish(login: {
    readonly method: string
    readonly pending: string
    readonly sessionBinding: string
    readonly user: LoginUser
    readonly sessionId?: string | undefined
  }): Promise<Response>
}

export interface LoginParts {
  readonly backend: Pick<WalletBackend, 'logins'>
  readonly tokens: Tokens
  readonly gatewayRoot: URL
  readonly domain: string
  readonly currencies: Currencies
  readonly clock: Clock
  /** Never throws. */
  readonly log: Log
  readonly newId: (of: 'request' | 'token') => string
  readonly timeoutSeconds: number
  readonly trace: Trace | undefined
  /** Signs `pending`. */
  readonly secret: Uint8Array
}

const Claims = z.object({ jti: z.string().min(1).max(64), redirect_uri: z.string(), bound_to: z.string().min(1) })

type Refuse = (fault: LoginFault, ...response: Parameters<typeof plainText>) => Response

interface OpenRequest {
  /** Of the request, and of the login that finishes it. */
  readonly id: string
  readonly target: LoginReturn
}

export function createLogin(parts: LoginParts): Login {
  const { tokens, gatewayRoot, domain, clock } = parts

  function describe(target: LoginReturn, pending: string): PendingLogin {
    const { url, asksFor, appHost, clientId } = target
    return { pending, asksFor, gatewayOrigin: url.origin, returnPath: url.pathname, appHost, clientId }
  }

  async function sign(target: LoginReturn, sessionBinding: string): Promise<string> {
    return new SignJWT({ redirect_uri: target.url.href, bound_to: await digest(sessionBinding) })
      .setProtectedHeader({ alg: 'HS256' })
      .setJti(idFrom(parts.newId, 'token'))
      .setAudience(AUDIENCE)
      .setExpirationTime(epochSeconds(clock) + PENDING_SECONDS)
      .sign(parts.secret)
  }

  /** Expiry is checked last: an expired request has a valid signature, audience and binding. */
  async function open(pending: string, sessionBinding: string): Promise<OpenRequest | 'expired' | 'invalid'> {
    // A form parser may have made a list of either.
    if (typeof pending !== 'string' || typeof sessionBinding !== 'string') return 'invalid'
    let payload: unknown
    let expired = false
    const currentDate = new Date(timeOf(clock))
    try {
      const options = { algorithms: ['HS256'], audience: AUDIENCE, requiredClaims: ['exp'], currentDate }
      payload = (await jwtVerify(pending, parts.secret, options)).payload
    } catch (error) {
      if (!(error instanceof errors.JWTExpired)) return 'invalid'
      ;[payload, expired] = [error.payload, true]
    }
    const claims = Claims.safeParse(payload)
    if (!claims.success || claims.data.bound_to !== (await digest(sessionBinding))) return 'invalid'
    const target = checkRedirectUri(claims.data.redirect_uri, gatewayRoot, domain)
    if (target === undefined) return 'invalid'
    return expired ? 'expired' : { id: claims.data.jti, target }
  }

  /** A browser gets an answer whatever fails, and the log gets the reason. */
  async function answered<Answer>(work: () => Promise<Answer>): Promise<Answer | Response> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof BadCall) throw error
      const { status, message, headers, fault } = refusalOf(error)
      if (fault !== undefined) parts.log.error({ err: fault }, 'login failed')
      return plainText(status, message, headers)
    }
  }

  /** Reports start and end of a redirect, and why it was refused. */
  async function traced<Answer>(
    route: string,
    method: string,
    url: string,
    work: (refuse: Refuse) => Promise<Answer>,
  ): Promise<Answer | Response> {
    const ended = begin(parts, () => ({ requestId: undefined, route, method, ...splitUrl(url), headers: undefined }))
    let refused: LoginFault | undefined
    let status = 500
    try {
      const answer = await answered(() =>
        work((fault, ...response) => {
          refused = fault
          return plainText(...response)
        }),
      )
      status = answer instanceof Response ? answer.status : 200
      return answer
    } finally {
      ended({ status, failedCheck: refused ?? (status >= 400 ? 'failed' : undefined) })
    }
  }

  async function store(login: NewLogin): Promise<boolean> {
    const { backend, timeoutSeconds } = parts
    const outcome: unknown = await ask('logins.create', timeoutSeconds, () => backend.logins.create(login))
    if (outcome === 'created' || outcome === 'already-created') return outcome === 'created'
    throw wrongAnswer('logins.create', outcome, 'created or already-created')
  }

  return {
    start: ({ method, url }, sessionBinding) =>
      traced('login.start', method, url, async (refuse) => {
        // HEAD and other methods must not create a token.
        if (method !== 'GET') return refuse('method', 405, 'The login redirect accepts GET.', { Allow: 'GET' })
        const [redirectUri, ...more] = new URLSearchParams(splitUrl(url).query).getAll('redirect_uri')
        const target =
          redirectUri === undefined || more.length > 0 ? undefined : checkRedirectUri(redirectUri, gatewayRoot, domain)
        if (target === undefined) return refuse('redirect_uri', 400, 'Invalid redirect_uri')
        if (typeof sessionBinding !== 'string' || sessionBinding.length < MIN_BINDING_LENGTH)
          throw new BadCall(`sessionBinding must be a secret of at least ${MIN_BINDING_LENGTH} characters`)
        return describe(target, await sign(target, sessionBinding))
      }),
    async read(pending, sessionBinding) {
      const request = await answered(() => open(pending, sessionBinding))
      if (request instanceof Response) return 'invalid'
      return typeof request === 'string' ? request : describe(request.target, pending)
    },
    finish: ({ method, pending, sessionBinding, user, sessionId }) =>
      traced('login.finish', method, '', async (refuse) => {
        if (method !== 'GET' && method !== 'POST')
          return refuse('method', 405, 'The login redirect accepts GET or POST.', { Allow: 'GET, POST' })
        const request = await open(pending, sessionBinding)
        if (request === 'expired')
          return refuse('expired', 400, 'This sign-in request has expired. Start again in the app that you came from.')
        if (request === 'invalid')
          return refuse(
            'pending',
            400,
            'This sign-in request is not valid in this browser. Start again in the app that you came from.',
          )
        if (!tokens.canSign) return plainText(500, SIGNING_KEY_MISSING)
        if (typeof user?.id !== 'string' || !USER_ID.test(user.id))
          throw new BadCall('user.id must be 1 to 255 printable ASCII characters')
        if (!isAddress(user.address)) throw new BadCall('user.address must be a UMA address: $alice@bank.example')
        const currencies = await currentCurrencies(parts.currencies, parts.timeoutSeconds)
        const currency = currencies.find(({ code }) => code === user.currencyCode)
        if (currency === undefined) throw new BadCall(`${user.currencyCode} is not one of the currencies`)
        const { id, target } = request
        const subject = { id, userId: user.id, address: user.address }
        if (!(await tokens.fitsConnection(subject))) throw new Error(TOO_LONG)
        const { token, expiresAtSeconds } = await tokens.issueLogin(subject)
        const { appHost, clientId } = target
        if (!(await store({ ...subject, expiresAtSeconds, sessionId, appHost, clientId })))
          return refuse('used', 400, 'This sign-in request has been used. Start again in the app that you came from.')
        const { code, symbol, name, decimals } = currency
        return redirect(returnAddress(target.url, token, { code, symbol, name, decimals }))
      }),
  }
}

const TOO_LONG =
  'the connection token of this user would be too long for a gateway: shorten the id, the address or the domain of the VASP'

/** A mistake of the program that calls this package, as opposed to a failure while it runs. */
class BadCall extends TypeError {}

/** SHA-256, so that the browser's secret does not appear in the address of a page. */
async function digest(sessionBinding: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${AUDIENCE}:${sessionBinding}`))
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const PRIVATE = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'X-Content-Type-Options': 'nosniff' }

function plainText(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, {
    status,
    headers: { ...PRIVATE, 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  })
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { ...PRIVATE, Location: location } })
}
