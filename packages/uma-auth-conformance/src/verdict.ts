/**
 * `must`: a sentence of the specification. `gateway-compatibility`: the public gateway fails without it. `should`: good practice.
 * `option`: a choice that the specification leaves open; it never changes the exit code.
 */
export const LEVELS = ['must', 'gateway-compatibility', 'should', 'option'] as const
export type Level = (typeof LEVELS)[number]

/** What a case needs besides the cases that it depends on. */
export type Need =
  /** The flag `--payments`. */
  | 'payments'
  /** The flag `--uma`. */
  | 'uma'
  /** An address at which the VASP can read the kit's own UMA keys. */
  | 'uma-listener'
  | 'public-key'
  | 'signing-key'
  /** A sign-in recipe, so that the kit holds the user's session. */
  | 'browser'
  | 'second-user'
  | 'gateway-root'
  /** A VASP that was started without this key, and the flag that says so. */
  | 'missing-verification-key'
  | 'missing-signing-key'
  /** A command that the VASP advertises. */
  | Command

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

/** What several cases need could not be prepared. A failure of the case that is about it; the others are not run. */
export class SetupFailure extends Failure {
  readonly caseId: string

  constructor(caseId: string, reason: string) {
    super(reason)
    this.caseId = caseId
  }
}

/** The VASP does not offer what the case is about. */
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

/** The area of a case: the part of its id before the dot. */
export function areaOf({ id }: { readonly id: string }): string {
  return id.slice(0, id.indexOf('.'))
}
