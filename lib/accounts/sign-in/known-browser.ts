import { createHash } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { epochSeconds } from '../../platform/clock'
import type { Settings } from '../../platform/config'
import type { AccountPorts } from '../types'

/** The cookie expires half a year after the last sign-in. */
export const KNOWN_BROWSER_SECONDS = 180 * 24 * 60 * 60
/** Maximum number of remembered users of a browser. The most recent comes first. */
const MAX_USERNAMES = 8
const AUDIENCE = 'known-browser'

/** A browser in which users have signed in before. It has its own count of wrong passwords for them. It is not a session. */
export interface KnownBrowser {
  readonly id: string
  readonly usernames: readonly string[]
}

type BrowserPorts = Pick<AccountPorts, 'settings' | 'clock' | 'ids'>

const Claims = z.object({ jti: z.string().min(1).max(64), users: z.array(z.string()) })

/** The browser that a cookie names; undefined for a cookie that is missing, expired or not signed by this instance. */
export async function readKnownBrowser(
  { settings, clock }: BrowserPorts,
  cookie: string | undefined,
): Promise<KnownBrowser | undefined> {
  if (cookie === undefined) return undefined
  try {
    const { payload } = await jwtVerify(cookie, keyOf(settings), {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      issuer: settings.vaspDomain,
      requiredClaims: ['exp'],
      currentDate: clock.now(),
    })
    const { jti: id, users: usernames } = Claims.parse(payload)
    return { id, usernames }
  } catch {
    return undefined
  }
}

/** The cookie to set after a sign-in: the browser keeps its id, and this user is added. */
export async function knownBrowserCookie(
  { settings, clock, ids }: BrowserPorts,
  former: KnownBrowser | undefined,
  username: string,
): Promise<string> {
  const others = former?.usernames.filter((each) => each !== username) ?? []
  return new SignJWT({ users: [username, ...others].slice(0, MAX_USERNAMES) })
    .setProtectedHeader({ alg: 'HS256' })
    .setJti(former?.id ?? ids.uuid())
    .setAudience(AUDIENCE)
    .setIssuer(settings.vaspDomain)
    .setExpirationTime(epochSeconds(clock.now()) + KNOWN_BROWSER_SECONDS)
    .sign(keyOf(settings))
}

/** A separate key, derived from the session secret and the instance. */
function keyOf({ nextAuthSecret, instance }: Settings): Uint8Array {
  return createHash('sha256').update(`known-browser:${instance}:${nextAuthSecret}`).digest()
}
