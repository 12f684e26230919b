/**
 * `must`: a sentence of the specification. `gateway-compatibility`: the public gateway fails without it. `should`: good practice.
 * `option`: a choice that the specification leaves open; it never changes the exit code.
 */
export const LEVELS = ['must', 'gateway-compatibility', 'should', 'option'] as const
export type Level = (typeof LEVELS)[number]

/** Cases of `must` always count, with those without which the public gateway fails; `should` counts good practice too. */
export const FAIL_ON = ['must', 'should'] as const
export type FailOn = (typeof FAIL_ON)[number]

/** What a case needs besides the cases that it depends on: a command that the VASP advertises, or one of `NEEDS`. */
export type Need = keyof typeof NEEDS | Command

/** Each need in words, as the text after "needs". */
export const NEEDS = {
  payments: '--payments, because it moves money',
  slow: '--slow, because it waits for an expiry',
  uma: '--uma',
  'uma-listener': '--uma-listen, at an address that the VASP can read',
  'public-key': '--jwt-public-key',
  'signing-key': '--test-signing-key',
  /** Only a recipe lets the kit hold the user's session. */
  browser: 'a sign-in recipe (--sign-in), because it uses the session of the user',
  'sign-out': 'a recipe with signOut',
  revoke: 'a recipe with revoke',
  'second-user': 'a second user to sign in',
  'gateway-root': "the gateway's root address, from the discovery document or --gateway",
  'missing-verification-key': '--missing-key verification, after a restart',
  'missing-signing-key': '--missing-key signing and --login-token, after a restart',
} as const

export const COMMANDS = [
  'get_info',
  'get_budget',
  'get_balance',
  'make_invoice',
  'lookup_invoice',
  'list_transactions',
  'pay_invoice',
  'pay_keysend',
  'lookup_user',
  'fetch_quote',
  'execute_quote',
  'pay_to_address',
] as const
export type Command = (typeof COMMANDS)[number]

/** The VASP does not conform. */
export class Failure extends Error {
  override readonly name = 'Failure'
}

/** The kit cannot reach the VASP, or cannot sign in. This says nothing about the VASP, and ends the run. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun'
}

/** A prerequisite of several cases could not be prepared. The case that tests it fails; the others are not run. */
export class SetupFailure extends Failure {
  readonly caseId: string

  constructor(caseId: string, reason: string) {
    super(reason)
    this.caseId = caseId
  }
}

/** The VASP does not offer what the case tests. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

/** The kit was not given what the case needs. */
export class NotRun extends Error {
  override readonly name = 'NotRun'
}

export type Status = 'pass' | 'fail' | 'not-applicable' | 'not-run'

/** One request and its answer, with tokens, cookies, passwords and preimages replaced. */
export interface Exchange {
  readonly request: string
  readonly response: string
}

export interface CaseResult {
  readonly id: string
  readonly level: Level
  readonly title: string
  readonly status: Status
  /** Why it failed, does not apply or was not run. Empty for a pass. */
  readonly reason: string
  readonly durationMs: number
  readonly exchanges: readonly Exchange[]
}

export function isCommand(name: string): name is Command {
  return (COMMANDS as readonly string[]).includes(name)
}

/** The area of a case: the part of its id before the dot. */
export function areaOf({ id }: { readonly id: string }): string {
  return id.slice(0, id.indexOf('.'))
}
