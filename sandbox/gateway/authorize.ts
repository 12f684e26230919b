import { withParameters } from 'uma-auth-vasp'
import { parseBudget, type AskedBudget } from './budget'
import { AppProblem, checkRedirect, findClientApp, readClientId, type ClientId } from './client-apps'
import { parameterOf, repeatedParameter } from './oauth-parameters'
import type { ClientApp } from './store'

/** An app's request at `/oauth/auth`, after all checks. */
export interface Ask {
  readonly app: ClientApp
  readonly redirectUri: string
  readonly challenge: string
  readonly state: string | undefined
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly budget: AskedBudget | undefined
  /** The expiry that the app requests, if any. */
  readonly expiresAtSeconds: number | undefined
}

const REQUIRED = ['client_id', 'required_commands', 'code_challenge_method', 'code_challenge', 'redirect_uri'] as const
const MAX_STATE_LENGTH = 2_000

export interface AskRules {
  readonly supported: readonly string[]
  readonly nowSeconds: number
  /** Whether this request may make the gateway connect to the relay that the app names. */
  readonly mayAsk: (relay: ClientId['relay']) => boolean
}

/**
 * Reads an app's request in the public gateway's order of checks.
 * @returns undefined when everything that can be checked without the app's relay is right, and the relay may not be asked.
 * @throws AppProblem with the status and the sentence for the page.
 */
export async function readAsk(
  query: URLSearchParams,
  { supported, nowSeconds, mayAsk }: AskRules,
): Promise<Ask | undefined> {
  const repeated = repeatedParameter(query)
  if (repeated !== undefined)
    throw new AppProblem(400, `invalid_request: the app sent ${repeated} twice. Each parameter may be sent once.`)
  const missing = REQUIRED.find((name) => parameterOf(query, name) === undefined)
  if (missing !== undefined) throw new AppProblem(400, `Missing required parameter: ${missing}`)
  if (parameterOf(query, 'code_challenge_method') !== 'S256')
    throw new AppProblem(400, 'code_challenge_method must be S256.')
  const challenge = parameterOf(query, 'code_challenge') ?? ''
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    throw new AppProblem(400, 'code_challenge must be the base64url of a SHA-256: 43 characters.')
  const budget = readBudget(parameterOf(query, 'budget'))
  const expiresAtSeconds = readEnd(parameterOf(query, 'expires_at'), nowSeconds)
  const state = parameterOf(query, 'state')
  if ((state?.length ?? 0) > MAX_STATE_LENGTH) throw new AppProblem(400, 'state is too long.')
  const clientId = readClientId(parameterOf(query, 'client_id') ?? '')
  const redirectUri = parameterOf(query, 'redirect_uri') ?? ''
  if (!mayAsk(clientId.relay)) {
    checkRedirect(undefined, redirectUri)
    return undefined
  }
  const app = await findClientApp(clientId)
  checkRedirect(app, redirectUri)
  const required = wordsOf(parameterOf(query, 'required_commands'))
  const lacking = required.find((command) => !supported.includes(command))
  if (lacking !== undefined)
    throw new AppProblem(400, `${app.name} needs ${lacking.slice(0, 40)}, which this wallet does not support.`)
  const optional = wordsOf(parameterOf(query, 'optional_commands')).filter((command) => supported.includes(command))
  return { app, redirectUri, challenge, state, required, optional, budget, expiresAtSeconds }
}

/** Client libraries encode the budget's slash twice, so it is decoded again. */
function readBudget(text: string | undefined): AskedBudget | undefined {
  if (text === undefined) return undefined
  const budget = parseBudget(text.includes('%') ? text.replaceAll(/%2f/gi, '/') : text)
  if (budget === undefined)
    throw new AppProblem(400, 'budget must be an amount in smallest units, then .CUR, then /period: 5000.USD/weekly.')
  // Clients in other languages write zero for a value that they leave out, and no budget of zero is valid.
  return budget.amount === 0 ? undefined : budget
}

/** Seconds since 1970, or a date as ISO 8601 writes it. */
function readEnd(text: string | undefined, nowSeconds: number): number | undefined {
  // Zero, as for a budget.
  if (text === undefined || text === '0') return undefined
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000)
  if (Number.isNaN(seconds)) throw new AppProblem(400, 'expires_at must be seconds since 1970, or an ISO 8601 date.')
  if (seconds <= nowSeconds) throw new AppProblem(400, 'expires_at has passed: choose a later time.')
  return seconds
}

function wordsOf(text: string | undefined): string[] {
  return [...new Set((text ?? '').split(/[ ,]+/).filter(Boolean))]
}

/** The address that returns the browser to the app, with the answer after the app's own parameters. */
export function returnUrl(ask: Pick<Ask, 'redirectUri' | 'state'>, answer: Readonly<Record<string, string>>): string {
  // A `Location` is ASCII only; any other text would be refused or written again by the browser.
  const address = /^[\x21-\x7e]+$/.test(ask.redirectUri) ? ask.redirectUri : new URL(ask.redirectUri).href
  return withParameters(address, { ...answer, ...(ask.state === undefined ? {} : { state: ask.state }) })
}
