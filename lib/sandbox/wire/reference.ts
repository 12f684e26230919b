import { CHECKS, COMMANDS, type BearerFault, type Check, type Command, type CommandName } from 'uma-auth-vasp'
import { COMMAND_RULES } from '../../backend/command-rules'
import type { EventKind } from '../../events/types'
import { KIND_NAMES, type Words } from './kinds'

/** Paragraph of the specification and source file for a kind of call. */
export interface Reference {
  /** Undefined for a call that is not a wallet command. */
  readonly command: Command | undefined
  readonly paragraph: string
  /** What the paragraph requires. */
  readonly rule: string
  /** Path in the repository. */
  readonly source: string
}

const COMMAND_SOURCES: Readonly<Record<CommandName, string>> = {
  get_info: 'lib/backend/wallet-methods.ts',
  get_budget: 'lib/backend/wallet-methods.ts',
  get_balance: 'lib/backend/wallet-methods.ts',
  make_invoice: 'lib/backend/invoice-methods.ts',
  lookup_invoice: 'lib/backend/invoice-methods.ts',
  list_transactions: 'lib/backend/invoice-methods.ts',
  pay_invoice: 'lib/backend/payment-methods.ts',
  pay_keysend: 'lib/backend/payment-methods.ts',
  lookup_user: 'lib/backend/address-methods.ts',
  fetch_quote: 'lib/backend/address-methods.ts',
  execute_quote: 'lib/backend/address-methods.ts',
  pay_to_address: 'lib/backend/address-methods.ts',
}

const LOGIN: Reference = {
  command: undefined,
  paragraph: 'Authorization flow 1 to 3; Authentication 9',
  rule: 'The login endpoint checks that redirect_uri comes from the gateway before it issues a token. Otherwise it responds 400 with “Invalid redirect_uri”.',
  source: 'packages/uma-auth-vasp/src/redirect-uri.ts',
}

const EXCHANGE: Reference = {
  command: undefined,
  paragraph: 'Authorization flow 4; Authentication 6',
  rule: 'The token exchange accepts only a valid login token and a list of permissions. It issues the long-lived token of a connection.',
  source: 'packages/uma-auth-vasp/src/token-exchange.ts',
}

/** Undefined for an event that the specification does not describe. */
export function referenceOf({
  kind,
  name,
}: {
  readonly kind: EventKind
  readonly name: string
}): Reference | undefined {
  if (kind === 'login') return LOGIN
  if (kind === 'token_exchange') return EXCHANGE
  const command = commandOf(name)
  if (kind !== 'api_call' || command === undefined) return undefined
  const rule = COMMAND_RULES[command.name]
  return { command, paragraph: `API endpoints, ${name}`, rule, source: COMMAND_SOURCES[command.name] }
}

/** The command of a route template such as `GET /balance`. */
export function commandOf(route: string): Command | undefined {
  return COMMANDS.find(({ method, path }) => `${method} ${path}` === route)
}

/** What a check requires, and the paragraph of the specification, if any. */
export const CHECK_RULES: Readonly<Record<Check, { readonly rule: string; readonly paragraph?: string }>> = {
  route: { rule: 'The API has this path, and the path accepts this method.', paragraph: 'API endpoints' },
  bearer: {
    rule: 'The Authorization header holds one token of this VASP: its signature, issuer, audience and expiry are valid, and it is of the kind that this call accepts.',
    paragraph: 'Authentication 1 to 4',
  },
  'rate limit': { rule: 'The connection and the user are within the rate limits.' },
  account: {
    rule: 'The user is active, and the sign-in or the connection of the token was not revoked.',
    paragraph: 'Authentication 3',
  },
  command: { rule: 'This VASP implements the command.', paragraph: 'API endpoints' },
  scope: { rule: 'The user granted this command to the connection.', paragraph: 'Authentication 5' },
  input: { rule: 'The path, query and body are valid.' },
  work: { rule: 'The wallet carried out the command.' },
  reply: { rule: 'The response conforms to the API.' },
}

const CHECKS_OF_EXCHANGE: readonly Check[] = ['route', 'bearer', 'rate limit', 'account', 'input', 'work']

export type CheckState = 'passed' | 'failed' | 'not reached'

/** The checks of a call in the order of execution. Every check before the failed one has passed. */
export function checksOf(
  kind: EventKind,
  failedCheck: string | null,
): readonly { readonly check: Check; readonly state: CheckState }[] {
  const checks = kind === 'api_call' ? CHECKS : kind === 'token_exchange' ? CHECKS_OF_EXCHANGE : []
  const failedAt = checks.findIndex((check) => check === failedCheck)
  return checks.map((check, index) => ({
    check,
    state: failedAt < 0 || index < failedAt ? 'passed' : index === failedAt ? 'failed' : 'not reached',
  }))
}

/** Why a token was refused, and what to do. */
const BEARER_FAULTS: Readonly<Record<BearerFault, string>> = {
  missing: 'The request has no Authorization header.',
  malformed:
    'The header does not hold one token of the form that this server issues. Send “Bearer”, a space and the token.',
  signature:
    'The signature does not belong to a key of this server. The token was issued elsewhere, or the key has changed.',
  domain:
    'The claims iss and aud are not the domain of this server. Compare VASP_DOMAIN with the domain for which the token was issued.',
  claims: 'A claim is missing or not valid: sub, jti, token_use, and exp for a login token.',
  early: 'The token is not valid yet. Compare the clocks.',
  expired: 'The token has expired. Sign in again, or connect the app again.',
  kind: 'This call accepts the other kind of token: login tokens are for the exchange, connection tokens for commands.',
}

export function bearerFaultText(fault: string | undefined): string | undefined {
  return fault !== undefined && Object.hasOwn(BEARER_FAULTS, fault) ? BEARER_FAULTS[fault as BearerFault] : undefined
}

/** What pages show beside the names of events. */
export const WORDS: Words = {
  commands: Object.fromEntries(COMMANDS.map(({ name, method, path }) => [`${method} ${path}`, name])),
  kinds: KIND_NAMES,
}
