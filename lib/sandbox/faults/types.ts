import { ERROR_CODES, type ErrorCode } from 'uma-auth-vasp'
import type { ErrorStatus } from '../../platform/errors'

/** HTTP status of each error of the API. */
export const STATUS_OF_CODE: Readonly<Record<ErrorCode, ErrorStatus>> = {
  RATE_LIMITED: 429,
  NOT_IMPLEMENTED: 501,
  INSUFFICIENT_BALANCE: 400,
  PAYMENT_FAILED: 400,
  NOT_FOUND: 404,
  QUOTA_EXCEEDED: 400,
  RESTRICTED: 403,
  UNAUTHORIZED: 401,
  INTERNAL: 500,
  OTHER: 400,
}

/** The effects of a proxy, a crash or a slow network on a response. */
const TRANSPORT_KINDS = ['http_429', 'http_500', 'http_501', 'invalid_json', 'closed_socket', 'delay'] as const
export type FaultKind = ErrorCode | (typeof TRANSPORT_KINDS)[number]
export const FAULT_KINDS: readonly FaultKind[] = [...ERROR_CODES, ...TRANSPORT_KINDS]

export function isErrorCode(kind: string): kind is ErrorCode {
  return Object.hasOwn(STATUS_OF_CODE, kind)
}

export function isFaultKind(text: string): text is FaultKind {
  return (FAULT_KINDS as readonly string[]).includes(text)
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
  delaySeconds: 60,
  retryAfterSeconds: 3_600,
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

const DEFAULT_SECONDS: Partial<Record<FaultKind, number>> = { http_429: 5, delay: 8 }

/** The maximum of `seconds` for a kind; undefined for a kind that has none. */
export function maxSecondsOf(kind: FaultKind): number | undefined {
  if (kind === 'delay') return FAULT_LIMITS.delaySeconds
  return kind === 'http_429' ? FAULT_LIMITS.retryAfterSeconds : undefined
}

export function secondsOf({ kind, seconds }: Pick<NewFault, 'kind' | 'seconds'>): number | null {
  return seconds ?? DEFAULT_SECONDS[kind] ?? null
}
