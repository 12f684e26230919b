import { createPublicKey } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import { z } from 'zod'
import type { GatewaySettings } from './settings'

/** A user's login at the VASP. */
export interface Login {
  readonly token: string
  readonly sub: string
  readonly address: string
  readonly expiresAtSeconds: number
  readonly currency: Currency
}

/** An amount is written with as many digits as its currency has decimals, so their number is limited. */
export const decimals = z.int().min(0).max(18)
/** In an address that is not signed: anyone can write it. */
const Currency = z.object({
  code: z.string().min(1).max(3),
  symbol: z.string().max(16),
  name: z.string().max(64),
  decimals,
})
export type Currency = z.output<typeof Currency>

const Claims = z.object({ sub: z.string().min(1), address: z.string().min(1), exp: z.number() })

/**
 * The sign-in address in the format of the gateway's own site: `redirect_uri` is encoded twice, so a VASP receives
 * `http%3A%2F%2F…` after it has parsed the query.
 */
export function loginUrl(settings: GatewaySettings, returnPath: string, umaUsername?: string): string {
  const person =
    umaUsername === undefined || umaUsername === '' ? '' : `&uma_username=${encodeURIComponent(umaUsername)}`
  const callback = `${settings.NWC_APP_ROOT_URL}/auth/vasp_token_callback?fe_redirect=${encodeURIComponent(returnPath)}${person}`
  const joint = settings.UMA_VASP_LOGIN_URL.includes('?') ? '&' : '?'
  return `${settings.UMA_VASP_LOGIN_URL}${joint}redirect_uri=${encodeURIComponent(encodeURIComponent(callback))}`
}

/**
 * The sign-in address when an app starts the login: the gateway's own address with the app's unchanged query, encoded
 * once, as the public gateway's server does.
 */
export function appLoginUrl(settings: GatewaySettings, query: string): string {
  const joint = settings.UMA_VASP_LOGIN_URL.includes('?') ? '&' : '?'
  return `${settings.UMA_VASP_LOGIN_URL}${joint}redirect_uri=${encodeURIComponent(`${settings.NWC_APP_ROOT_URL}/oauth/auth?${query}`)}`
}

/**
 * Checks the token that a login returns, as the public gateway does: ES256 only, `exp` required without leeway,
 * audience and issuer where configured, `sub` a string, `address` present. The public gateway answers a bare 500 to any
 * fault; here the page names the fault.
 * @throws Error with a message for the page.
 */
export async function readLogin(
  settings: GatewaySettings,
  token: string | undefined,
  currencyText: string | undefined,
): Promise<Login> {
  if (token === undefined || token === '') throw new Error('No token provided')
  const claims = await verify(settings, token)
  return {
    token,
    sub: claims.sub,
    address: claims.address,
    expiresAtSeconds: claims.exp,
    currency: readCurrency(currencyText),
  }
}

async function verify(settings: GatewaySettings, token: string): Promise<z.output<typeof Claims>> {
  try {
    const { payload } = await jwtVerify(token, createPublicKey(settings.UMA_VASP_JWT_PUBKEY), {
      algorithms: ['ES256'],
      requiredClaims: ['exp'],
      ...(settings.UMA_VASP_JWT_AUD === undefined ? {} : { audience: settings.UMA_VASP_JWT_AUD }),
      ...(settings.UMA_VASP_JWT_ISS === undefined ? {} : { issuer: settings.UMA_VASP_JWT_ISS }),
    })
    return Claims.parse(payload)
  } catch (error) {
    throw new Error(`The token from ${settings.VASP_NAME} is not valid: ${reasonOf(error, settings)}.`, {
      cause: error,
    })
  }
}

/** The fault of a token, and the setting to compare: the words of the JWT library name neither. */
function reasonOf(error: unknown, settings: GatewaySettings): string {
  if (error instanceof z.ZodError)
    return `its claim ${String(error.issues[0]?.path[0])} is missing or of the wrong type`
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return 'its signature was not made with the key in UMA_VASP_JWT_PUBKEY'
  if (error instanceof errors.JWTExpired)
    return 'it has expired. Sign in again. If this happens at once, compare the clock of this machine with the VASP’s'
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim } = error
    const wanted = { aud: settings.UMA_VASP_JWT_AUD, iss: settings.UMA_VASP_JWT_ISS }[claim]
    return wanted === undefined
      ? `its claim ${claim} is missing or not valid`
      : `its claim ${claim} is not ${wanted}, which UMA_VASP_JWT_${claim.toUpperCase()} requires`
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return 'it is not signed with ES256'
  return 'it is not a token that this gateway can read'
}

function readCurrency(text: string | undefined): Currency {
  try {
    return Currency.parse(JSON.parse(text ?? ''))
  } catch (error) {
    throw new Error(
      'The VASP sent no valid currency with its token. A public gateway cannot continue without one either.',
      { cause: error },
    )
  }
}

/** The page to return to: one leading slash, and no other host. A dot before the query is rejected. */
export function returnPathOf(raw: string | undefined): string | undefined {
  const value = raw ?? '/'
  if ((value.split('?', 1)[0] ?? '').includes('.') || /[^\x21-\x7e]|\\/.test(value)) return undefined
  return `/${value.replace(/^\/+/, '')}`
}
