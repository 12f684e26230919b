import { ERROR_CODES, STATUS_OF_CODE, type ApiResponse, type ErrorCode } from 'uma-auth-vasp'
import { unauthorized, VaspError } from '../../platform/errors'

/** What a fault does to a call. Exactly one of these, so that no kind does nothing. */
type Effect =
  /** The call ends with this error of the API. */
  | { readonly does: 'refuse'; readonly error: (seconds: number | null, cause: unknown) => VaspError }
  /** The response is replaced. */
  | {
      readonly does: 'replace'
      readonly response: (answer: Answer) => Answer
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly does: 'close' }
  | { readonly does: 'delay' }

type Answer = Pick<ApiResponse, 'status' | 'text'>

interface FaultRule {
  /** As the pages name it. */
  readonly name: string
  /** Only for a kind that takes seconds: the length of a delay, or the value of Retry-After. */
  readonly seconds?: { readonly default: number; readonly max: number }
  readonly effect: Effect
}

/** The text of an injected error. */
const MESSAGE = 'Injected by the sandbox.'
const HTML = { 'Content-Type': 'text/html; charset=utf-8' }

/** A proxy or a broken server sends these bodies, which are not those of the API. */
function page(status: number, title: string): Effect {
  const text = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`
  return { does: 'replace', response: () => ({ status, text }), headers: HTML }
}

/** The effects of a proxy, a crash or a slow network on a response. */
const TRANSPORT_RULES = {
  http_429: {
    name: '429 with Retry-After',
    seconds: { default: 5, max: 3_600 },
    effect: {
      does: 'refuse',
      error: (seconds, cause) =>
        new VaspError(429, 'RATE_LIMITED', MESSAGE, { cause, headers: { 'Retry-After': String(seconds) } }),
    },
  },
  http_500: { name: '500 without JSON', effect: page(500, '500 Internal Server Error') },
  http_501: { name: '501 without JSON', effect: page(501, '501 Not Implemented') },
  invalid_json: {
    name: 'Invalid JSON with status 200',
    effect: {
      does: 'replace',
      // The beginning of an object is never valid JSON.
      response: ({ text }) => ({ status: 200, text: text.slice(0, Math.ceil(text.length / 2)) }),
    },
  },
  closed_socket: { name: 'Connection closed without a response', effect: { does: 'close' } },
  delay: { name: 'Delay', seconds: { default: 8, max: 60 }, effect: { does: 'delay' } },
} as const satisfies Readonly<Record<string, FaultRule>>

export type FaultKind = ErrorCode | keyof typeof TRANSPORT_RULES

function errorRule(code: ErrorCode): FaultRule {
  const status = STATUS_OF_CODE[code]
  return {
    name: `${status} ${code}`,
    effect: {
      does: 'refuse',
      error: (_, cause) =>
        code === 'UNAUTHORIZED' ? unauthorized(cause) : new VaspError(status, code, MESSAGE, { cause }),
    },
  }
}

/** Everything that differs between kinds. A new kind is one entry of `TRANSPORT_RULES`. */
export const FAULT_RULES = {
  ...Object.fromEntries(ERROR_CODES.map((code) => [code, errorRule(code)])),
  ...TRANSPORT_RULES,
} as Readonly<Record<FaultKind, FaultRule>>

export const FAULT_KINDS = Object.keys(FAULT_RULES) as readonly FaultKind[]

export function isFaultKind(text: string): text is FaultKind {
  return Object.hasOwn(FAULT_RULES, text)
}

/**
 * `before`: the call fails and its work is not done. `after`: the work is done, and its response is lost. A delay comes
 * before or after the work: the work is done, and its response is sent.
 */
export const FAULT_STAGES = ['before', 'after'] as const
export type FaultStage = (typeof FAULT_STAGES)[number]

export const FAULT_LIMITS = {
  calls: 100,
  minutes: 60,
  delaySeconds: TRANSPORT_RULES.delay.seconds.max,
  retryAfterSeconds: TRANSPORT_RULES.http_429.seconds.max,
  /** Active faults of one connection. */
  active: 10,
} as const

/** A fault of a connection. Each call takes one, the oldest first. */
export interface Fault {
  /** Decimal text. */
  readonly id: string
  readonly connectionId: string
  readonly kind: FaultKind
  readonly stage: FaultStage
  /** Length of a delay, or the value of Retry-After; null for other kinds. */
  readonly seconds: number | null
  readonly callsLeft: number
  readonly expiresAt: Date
}

export interface NewFault {
  readonly connectionId: string
  readonly kind: FaultKind
  readonly stage: FaultStage
  readonly calls: number
  readonly minutes: number
  /** Undefined: the default of the kind. */
  readonly seconds?: number | undefined
}

export interface FaultMistake {
  readonly field: 'calls' | 'minutes' | 'seconds'
  /** `range`: not a whole number from 1 to `max`. `not_for_this_kind`: the kind has no seconds. */
  readonly code: 'range' | 'not_for_this_kind'
  readonly max: number
}

/** The rules for the numbers of a fault, for the form and for the API. A field that is undefined has its default. */
export function mistakesIn({
  kind,
  calls,
  minutes,
  seconds,
}: { readonly kind: FaultKind } & { readonly [field in FaultMistake['field']]?: number | undefined }): FaultMistake[] {
  const maxSeconds = FAULT_RULES[kind].seconds?.max
  const mistakes: FaultMistake[] = []
  const check = (field: FaultMistake['field'], value: number | undefined, max: number): void => {
    if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= max))
      mistakes.push({ field, code: 'range', max })
  }
  check('calls', calls, FAULT_LIMITS.calls)
  check('minutes', minutes, FAULT_LIMITS.minutes)
  if (maxSeconds !== undefined) check('seconds', seconds, maxSeconds)
  else if (seconds !== undefined) mistakes.push({ field: 'seconds', code: 'not_for_this_kind', max: 0 })
  return mistakes
}

export function secondsOf({ kind, seconds }: Pick<NewFault, 'kind' | 'seconds'>): number | null {
  return seconds ?? FAULT_RULES[kind].seconds?.default ?? null
}

/** "403 RESTRICTED", "429 with Retry-After: 5 s" */
export function faultTitle({ kind, seconds }: Pick<Fault, 'kind' | 'seconds'>): string {
  const { name } = FAULT_RULES[kind]
  return seconds === null ? name : `${name}: ${seconds} s`
}
