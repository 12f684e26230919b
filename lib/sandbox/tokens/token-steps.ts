import type { BearerFault } from 'uma-auth-vasp'
import type { TokenRecord, TokenVerdict } from './inspect-token'

/** `would also fail`: an earlier step failed, and a separate check shows that this one would too. */
export type StepState = 'passed' | 'failed' | 'would also fail' | 'not reached'

export interface TokenStep {
  readonly name: string
  readonly rule: string
  readonly state: StepState
  /** The token's values of the claims that the step reads. */
  readonly values: readonly (readonly [name: string, value: string])[]
}

interface Step {
  readonly fault: BearerFault
  readonly name: string
  readonly rule: string
  readonly part: 'header' | 'payload'
  readonly claims: readonly string[]
}

/** In the order in which the protocol package checks a token. */
const STEPS: readonly Step[] = [
  {
    fault: 'malformed',
    name: 'Form and header',
    rule: 'Three parts in base64url. The header has alg ES256, optionally typ JWT, and nothing else.',
    part: 'header',
    claims: ['alg', 'typ', 'kid', 'crit'],
  },
  {
    fault: 'signature',
    name: 'Signature',
    rule: 'Signed with the private key of this server. The payload is JSON.',
    part: 'payload',
    claims: [],
  },
  {
    fault: 'domain',
    name: 'iss, aud',
    rule: 'Both are the domain of this server.',
    part: 'payload',
    claims: ['iss', 'aud'],
  },
  {
    fault: 'claims',
    name: 'sub, jti, token_use, scope',
    rule: 'The user, the id of the login or connection, and the kind of token. A login token needs exp; a connection token has its commands in scope.',
    part: 'payload',
    claims: ['sub', 'jti', 'token_use', 'scope'],
  },
  { fault: 'early', name: 'nbf, iat', rule: 'Not in the future.', part: 'payload', claims: ['nbf', 'iat'] },
  {
    fault: 'expired',
    name: 'exp',
    rule: 'In the future. A connection token without exp does not expire.',
    part: 'payload',
    claims: ['exp'],
  },
]

const LONGEST_VALUE = 200

/** The checks of a token in the order in which the server runs them, with the token's values for each. */
export function tokenSteps({ fault, laterFault, text }: TokenVerdict): readonly TokenStep[] {
  const failedAt = STEPS.findIndex((step) => step.fault === fault)
  return STEPS.map(({ fault: own, name, rule, part, claims }, index) => ({
    name,
    rule,
    state:
      failedAt < 0 || index < failedAt
        ? 'passed'
        : own === fault
          ? 'failed'
          : own === laterFault
            ? 'would also fail'
            : 'not reached',
    values: claims.flatMap((claim) => {
      const value = text[part]?.[claim]
      return value === undefined ? [] : [[claim, readable(claim, value)] as const]
    }),
  }))
}

/** The name of the step that reports a fault. */
export function stepOf(fault: BearerFault): string {
  return STEPS.find((step) => step.fault === fault)?.name ?? fault
}

function readable(claim: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const isTime = ['exp', 'nbf', 'iat'].includes(claim) && typeof value === 'number' && Math.abs(value) < 1e11
  return `${text.slice(0, LONGEST_VALUE)}${isTime ? ` (${new Date(value * 1_000).toISOString()})` : ''}`
}

/** What the server has recorded about a token that passes these checks. */
export const RECORD_TEXTS: Readonly<Record<TokenRecord, string>> = {
  live: 'It was not revoked, and its user is active.',
  revoked: 'This connection was revoked.',
  'login closed': 'This login is closed, or was not issued here. It creates no connection.',
  'not issued here': 'No connection has this id. The token was signed here, but no exchange stored it.',
  'user suspended': 'Its user is suspended.',
  'of another user': 'This token belongs to another user. Only that user can see whether it was revoked.',
}
