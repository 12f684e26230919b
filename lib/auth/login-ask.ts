import { createHash } from 'node:crypto'
import { SignJWT, errors, jwtVerify, type JWTPayload } from 'jose'
import { z } from 'zod'
import { epochSeconds } from '../clock'
import type { Deps } from '../deps'
import type { Settings } from '../settings'
import { checkRedirectUri, type LoginReturn } from './redirect-uri'

/** How long a person may take on the sign-in page. */
const ASK_SECONDS = 15 * 60
const AUDIENCE = 'login-ask'

/** A gateway's request for a login, as the sign-in page shows it. */
export interface Ask {
  readonly redirectUri: string
  readonly gatewayOrigin: string
  readonly returnPath: string
  readonly appHost: string | null
  readonly clientId: string | null
  /** The user name that the app wishes for; null when it named none. */
  readonly asksFor: string | null
  /** True once the person was chosen on our own page, in this very browser: then nobody is asked again. */
  readonly chosen: boolean
}

type AskDeps = Pick<Deps, 'settings' | 'clock'>

const Claims = z.object({ redirect_uri: z.string(), chosen_in: z.string().min(1).optional() })

/**
 * The request, signed, so that it can wait in the sign-in page's address without being open to a rewrite. `chosenIn`
 * names the browser in which the person was chosen (the sign-in form's own cookie value); sent to anybody else, the
 * request asks again.
 */
export async function signAsk(deps: AskDeps, redirectUri: string, chosenIn?: string): Promise<string> {
  return new SignJWT({ redirect_uri: redirectUri, ...(chosenIn ? { chosen_in: hashOf(chosenIn) } : {}) })
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience(AUDIENCE)
    .setExpirationTime(epochSeconds(deps.clock.now()) + ASK_SECONDS)
    .sign(askKey(deps.settings))
}

/** The request behind `ask`, checked against the gateway's root once more; null when it is missing, old or not ours. */
export async function readAsk(deps: AskDeps, ask: string | undefined, browser: string): Promise<Ask | null> {
  if (ask === undefined || ask === '') return null
  try {
    const claims = Claims.parse(await verifyAsk(deps, ask))
    const target = targetOf(deps, claims)
    return target === undefined ? null : describeAsk(target, claims.chosen_in === hashOf(browser))
  } catch {
    return null
  }
}

/** Whether this is a request of ours with which nothing is wrong but its age. */
export async function isExpiredAsk(deps: AskDeps, ask: string): Promise<boolean> {
  const failure: unknown = await verifyAsk(deps, ask).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof errors.JWTExpired)) return false
  // Time is looked at last: signature and audience have held.
  const claims = Claims.safeParse(failure.payload)
  return claims.success && targetOf(deps, claims.data) !== undefined
}

function targetOf({ settings }: AskDeps, claims: z.infer<typeof Claims>): LoginReturn | undefined {
  return checkRedirectUri(claims.redirect_uri, settings.gatewayRootUrl, settings.vaspDomain)
}

/** @throws JOSEError for what is not ours, or too old. */
async function verifyAsk(deps: AskDeps, ask: string): Promise<JWTPayload> {
  const { payload } = await jwtVerify(ask, askKey(deps.settings), {
    algorithms: ['HS256'],
    audience: AUDIENCE,
    requiredClaims: ['exp'],
    currentDate: deps.clock.now(),
  })
  return payload
}

/** What the sign-in page tells of who asks. */
export function describeAsk(target: LoginReturn, chosen: boolean): Ask {
  return {
    redirectUri: target.url.href,
    gatewayOrigin: target.url.origin,
    returnPath: target.url.pathname,
    appHost: target.appHost ?? null,
    clientId: target.clientId ?? null,
    asksFor: target.asksFor ?? null,
    chosen,
  }
}

/** Where the sign-in form leads once the person has been chosen on the page, in the browser that was shown it. */
export async function chosenCallback(deps: AskDeps, ask: Ask, browser: string): Promise<string> {
  return `/connect?ask=${await signAsk(deps, ask.redirectUri, browser)}`
}

/** The same for whoever is signed in already. In another tab it may be somebody else by the time that it is pressed. */
export function continueAs(callback: string, username: string): string {
  return `${callback}&${new URLSearchParams({ as: username })}`
}

function hashOf(browser: string): string {
  return createHash('sha256').update(`browser:${browser}`).digest('base64url')
}

/** A key of its own, derived from the session secret, so that no cookie can pass for a request or the other way round. */
function askKey(settings: Settings): Uint8Array {
  return createHash('sha256').update(`login-ask:${settings.nextAuthSecret}`).digest()
}
