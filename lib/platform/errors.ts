import type { ErrorCode } from 'uma-auth-vasp'

export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 413 | 429 | 500 | 501 | 503 | 504

/**
 * How another VASP is at fault. `timeout`: no answer. `refused`: it rejected this request. `later`: it rejected the
 * request for now. `barred`: it rejects payments from this VASP. `unready`: it rejects payments to this receiver.
 * `unverified`: it could not verify our signature. `unusable`: its answer is invalid. `unsigned`: its answer has no
 * signature. `offer`: its offer differs from the request. `unsupported_payer_data`: it requires payer data that this
 * VASP does not disclose. `no_public_keys`: its keys cannot be fetched. `bad_keys`: its keys or certificates are faulty.
 * `closed`: this VASP does not connect to it.
 */
export type RemoteFault =
  | 'timeout'
  | 'refused'
  | 'later'
  | 'barred'
  | 'unready'
  | 'unverified'
  | 'unusable'
  | 'unsigned'
  | 'offer'
  | 'unsupported_payer_data'
  | 'no_public_keys'
  | 'bad_keys'
  | 'closed'

/**
 * A rejection whose message the caller may read: this VASP wrote it. The text of a library's error goes to
 * `cause`, which may be logged but is never sent.
 */
export class VaspError extends Error {
  override readonly name = 'VaspError'
  constructor(
    readonly status: ErrorStatus,
    readonly code: ErrorCode,
    message: string,
    readonly options: {
      readonly cause?: unknown
      readonly headers?: Readonly<Record<string, string>>
      /** The fault of another VASP, for pages that explain it in their own words. */
      readonly theirs?: RemoteFault
      /** The other party's own words, attributed and bounded, for pages that show them beside ours. */
      readonly quoted?: string
      /** The request id was used before, for a request with other values. */
      readonly isIdReused?: boolean
      /** The current rate differs from the price that the user agreed to. */
      readonly isPriceChanged?: boolean
      /** The amount is worth less than the receiver's minimum. */
      readonly isTooSmall?: boolean
    } = {},
  ) {
    super(message, { cause: options.cause })
  }
}

/** Compares names, because `instanceof` does not work across the module instances of a production build. */
export function isVaspError(error: unknown): error is VaspError {
  return error instanceof Error && error.name === 'VaspError'
}

export function badInput(message: string, cause?: unknown): VaspError {
  return new VaspError(400, 'OTHER', message, { cause })
}

/** An error that another VASP caused. The message names the VASP and says what can be done. */
export function remoteFault(theirs: RemoteFault, message: string, cause?: unknown, quoted?: string): VaspError {
  return new VaspError(400, 'OTHER', message, { cause, theirs, ...(quoted === undefined ? {} : { quoted }) })
}

export function unauthorized(cause?: unknown): VaspError {
  return new VaspError(401, 'UNAUTHORIZED', 'Unauthorized', { cause })
}

/** The global limit is reached: the request is rejected at once. */
export function busy(retryAfterSeconds: number): VaspError {
  return new VaspError(503, 'INTERNAL', 'The service is busy. Try again in a moment.', {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })
}

export function rateLimited(retryAfterSeconds: number): VaspError {
  return new VaspError(429, 'RATE_LIMITED', 'Too many requests. Try again later.', {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })
}
