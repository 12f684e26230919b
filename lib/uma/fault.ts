import { ErrorCode } from '@uma-sdk/core'

type SdkCode = keyof typeof ErrorCode

/** Every code of the protocol with its HTTP status (UMA errors.json): the codes of the SDK, and the two that it lacks. */
export const UMA_STATUS: Readonly<Record<UmaCode, number>> = {
  ...(Object.fromEntries(Object.values(ErrorCode).map(({ code, httpStatusCode }) => [code, httpStatusCode])) as Record<
    SdkCode,
    number
  >),
  MISSING_MANDATORY_PAYEE_DATA: 400,
  UMA_CONFIGURATION_FETCH_ERROR: 424,
}

export type UmaCode = SdkCode | 'MISSING_MANDATORY_PAYEE_DATA' | 'UMA_CONFIGURATION_FETCH_ERROR'

/** A refusal in the protocol's own terms. Its reason is public. Its cause is logged only. */
export interface UmaFault extends Error {
  readonly code: UmaCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Additional fields of the body. */
  readonly extras: Readonly<Record<string, unknown>>
}

export function umaFault(
  code: UmaCode,
  reason: string,
  more: {
    readonly cause?: unknown
    /** Set when an HTTP status is more precise than the code's own. */
    readonly status?: 404 | 405 | 413 | 429 | 503
    readonly headers?: Readonly<Record<string, string>>
    readonly extras?: Readonly<Record<string, unknown>>
  } = {},
): UmaFault {
  const { cause, status = UMA_STATUS[code], headers = {}, extras = {} } = more
  return Object.assign(new Error(reason, { cause }), { name: 'UmaFault', code, status, headers, extras })
}

/** Compares names, because `instanceof` does not work across the module instances of a production build. */
export function isUmaFault(error: unknown): error is UmaFault {
  return error instanceof Error && error.name === 'UmaFault'
}

/** The body of a refusal: the fields of the protocol and the additional ones. */
export function faultBody({ message, code, extras }: UmaFault): string {
  return JSON.stringify({ status: 'ERROR', reason: message, code, ...extras })
}
