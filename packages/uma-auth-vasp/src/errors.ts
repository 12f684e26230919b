/**
 * HTTP status of each code. INTERNAL and PAYMENT_FAILED with `retryAfterSeconds` are 503.
 * Gateways recognize these ten codes (NIP-47 and the UMA Auth API). Any other code reaches the app as OTHER.
 */
export const STATUS_OF_CODE = {
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
} as const
export type ErrorCode = keyof typeof STATUS_OF_CODE
export const ERROR_CODES = Object.keys(STATUS_OF_CODE) as readonly ErrorCode[]

export interface WalletErrorOptions {
  /** Sent as `Retry-After`, rounded up. Anything but a number from 0 is left out. */
  readonly retryAfterSeconds?: number | undefined
  /** Logged when the status is 500 or above, never sent. */
  readonly cause?: unknown
}

/**
 * Error that a backend throws to refuse a call. The message is public: it reaches the gateway, the app and its user.
 * Invalid input that only the bank can recognize is `OTHER` (400).
 */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, { retryAfterSeconds, cause }: WalletErrorOptions = {}) {
    super(message, { cause })
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Error that a backend throws when a payment has begun and its outcome is not yet known. Answered with 504 INTERNAL: the gateway must
 * neither book the payment as failed nor send it again under another key.
 */
export class PaymentPending extends Error {
  override readonly name = 'PaymentPending'
  readonly retryAfterSeconds: number | undefined

  /** @param options.retryAfterSeconds sent as `Retry-After`: when the outcome may be known. */
  constructor(
    message = 'The payment is pending: its outcome is not known yet. Look it up before you try again.',
    { retryAfterSeconds, cause }: WalletErrorOptions = {},
  ) {
    super(message, { cause })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A refusal as the API sends it. */
export interface Refusal {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  /** To be logged as an error. */
  readonly fault?: unknown
}

/** A refusal whose status does not follow from its code: a wrong method, a body that is too large. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly refusal: Refusal

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.refusal = { status, code: 'OTHER', message, headers }
  }
}

export const SIGNING_KEY_MISSING = 'JWT private key not configured'
export const VERIFICATION_KEY_MISSING = 'JWT public key not configured'

/** @returns the error for a request whose token is not valid (specification, Authentication 4). */
export function unauthorized(): WalletError {
  return new WalletError('UNAUTHORIZED', 'Unauthorized')
}

export function invalidInput(message: string, cause?: unknown): WalletError {
  return new WalletError('OTHER', message, { cause })
}

export const OUR_FAULT = 'Something went wrong on our side.'

/**
 * Whether an error is one of those by which a backend refuses a call.
 * They are recognized by name: `instanceof` fails when a bundler or a package manager keeps two copies of this
 * package. Other libraries have errors of these names too, but not with one of the ten codes.
 */
export function isRefusal(error: unknown): 'refused' | 'pending' | false {
  if (!(error instanceof Error)) return false
  if (error instanceof HttpError || isWalletError(error)) return 'refused'
  return error.name === 'PaymentPending' && 'pending'
}

export function refusalOf(error: unknown): Refusal {
  if (error instanceof HttpError) return error.refusal
  if (isRefusal(error) === 'pending') {
    const { message, retryAfterSeconds } = error as PaymentPending
    return { status: 504, code: 'INTERNAL', message, headers: retryAfter(retryAfterSeconds) }
  }
  if (error instanceof Error && isWalletError(error)) return refusalOfWallet(error)
  const fault = error ?? new Error('nothing was thrown')
  return { status: 500, code: 'INTERNAL', message: OUR_FAULT, headers: {}, fault }
}

function isWalletError(error: Error): error is WalletError {
  return error.name === 'WalletError' && 'code' in error && Object.hasOwn(STATUS_OF_CODE, String(error.code))
}

function retryAfter(seconds: unknown): { readonly 'Retry-After'?: string } {
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= Number.MAX_SAFE_INTEGER)) return {}
  return { 'Retry-After': String(Math.ceil(seconds)) }
}

function refusalOfWallet({ code, message, retryAfterSeconds, cause }: WalletError): Refusal {
  const isTemporary = retryAfterSeconds !== undefined && (code === 'INTERNAL' || code === 'PAYMENT_FAILED')
  const status = isTemporary ? 503 : STATUS_OF_CODE[code]
  return {
    status,
    code,
    message,
    headers: retryAfter(retryAfterSeconds),
    ...(status >= 500 && cause !== undefined ? { fault: cause } : {}),
  }
}
