import type { ErrorCode } from 'uma-auth-vasp'

export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 413 | 429 | 500 | 501 | 503 | 504

/**
 * What another VASP did: no answer, a refusal (of this request, for now, of payments from here, for this receiver, because our
 * signature does not verify), an answer that cannot be used, one without its signature, another offer than was asked for, a
 * question about the payer that is not answered here, no keys to be seen; or we do not speak to it at all.
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
  | 'closed'

/**
 * A refusal that the caller is meant to read: its message is public and fixed by us.
 * Whatever came from a library goes to `cause`, which is logged and never sent.
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
      /** Where another VASP is at fault: in what way, for pages that say it in their own words. */
      readonly theirs?: RemoteFault
      /** The amount is worth less than the least that the receiver takes. */
      readonly isTooSmall?: boolean
    } = {},
  ) {
    super(message, { cause: options.cause })
  }
}

/** `instanceof` does not cross the module instances of a production build, so errors are told apart by name. */
export function isVaspError(error: unknown): error is VaspError {
  return error instanceof Error && error.name === 'VaspError'
}

export function badInput(message: string, cause?: unknown): VaspError {
  return new VaspError(400, 'OTHER', message, { cause })
}

/** Another VASP is at fault; the sentence names it and says what can be done. */
export function remoteFault(theirs: RemoteFault, message: string, cause?: unknown): VaspError {
  return new VaspError(400, 'OTHER', message, { cause, theirs })
}

export function unauthorized(cause?: unknown): VaspError {
  return new VaspError(401, 'UNAUTHORIZED', 'Unauthorized', { cause })
}

/** Everybody together asks for more than can be done: whoever comes now is told so at once. */
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
