import { ERROR_CODES, type ErrorCode } from 'uma-auth-vasp'
import { z } from 'zod'

/** Faults that are no error of the API: what a proxy, a crash or a slow network does to a response. */
export const TRANSPORT_FAULTS = ['http_429', 'http_500', 'http_501', 'invalid_json', 'closed_socket', 'delay'] as const
export type FaultKind = ErrorCode | (typeof TRANSPORT_FAULTS)[number]
export const FAULT_KINDS: readonly FaultKind[] = [...ERROR_CODES, ...TRANSPORT_FAULTS]

/** `before`: the call fails and its work is not done. `after`: the work is done, and its response is lost. */
export const FAULT_STAGES = ['before', 'after'] as const
export type FaultStage = (typeof FAULT_STAGES)[number]

export const FAULT_LIMITS = {
  calls: 100,
  minutes: 60,
  delaySeconds: 60,
  retryAfterSeconds: 3_600,
  /** Active faults of one connection at the same time. */
  active: 10,
} as const

const DEFAULT_SECONDS: Partial<Record<FaultKind, number>> = { http_429: 5, delay: 8 }

/** A fault that calls of its connection take, one call each, the oldest fault first. */
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

export type NewFault = Omit<Fault, 'id' | 'callsLeft' | 'expiresAt'> & {
  readonly calls: number
  readonly minutes: number
}

/** Printable, because a database text cannot hold NUL. */
export const ConnectionId = z.string().regex(/^[\x21-\x7e]{1,64}$/)

const wholeNumber = (most: number) => z.int('range').min(1, 'range').max(most, 'range')

/** The terms of a new fault. Each message is the code of the error. */
export const NewFaultTerms = z
  .strictObject({
    connection: ConnectionId,
    kind: z.enum(FAULT_KINDS, 'unknown'),
    when: z.enum(FAULT_STAGES, 'unknown').default('before'),
    calls: wholeNumber(FAULT_LIMITS.calls).default(1),
    minutes: wholeNumber(FAULT_LIMITS.minutes).default(FAULT_LIMITS.minutes),
    seconds: wholeNumber(FAULT_LIMITS.retryAfterSeconds).optional(),
  })
  .superRefine(({ kind, seconds }, context) => {
    if (seconds === undefined) return
    if (kind !== 'delay' && kind !== 'http_429')
      context.addIssue({ code: 'custom', path: ['seconds'], message: 'unexpected' })
    else if (kind === 'delay' && seconds > FAULT_LIMITS.delaySeconds)
      context.addIssue({ code: 'custom', path: ['seconds'], message: 'range' })
  })
  .transform(({ connection, when, seconds, ...rest }): NewFault => ({
    ...rest,
    connectionId: connection,
    stage: when,
    seconds: seconds ?? DEFAULT_SECONDS[rest.kind] ?? null,
  }))
