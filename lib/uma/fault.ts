/** Every code of the protocol with its HTTP status (UMA errors.json): 39 codes, two more than in the SDK. */
export const UMA_STATUS = {
  COUNTERPARTY_PUBKEY_FETCH_ERROR: 424,
  INVALID_PUBKEY_FORMAT: 400,
  CERT_CHAIN_INVALID: 400,
  CERT_CHAIN_EXPIRED: 400,
  INVALID_SIGNATURE: 401,
  INVALID_TIMESTAMP: 400,
  INVALID_NONCE: 400,
  INTERNAL_ERROR: 500,
  NON_UMA_LNURL_NOT_SUPPORTED: 403,
  MISSING_REQUIRED_UMA_PARAMETERS: 400,
  UNSUPPORTED_UMA_VERSION: 412,
  PARSE_LNURLP_REQUEST_ERROR: 400,
  VELOCITY_LIMIT_EXCEEDED: 403,
  USER_NOT_FOUND: 404,
  USER_NOT_READY: 403,
  REQUEST_NOT_FOUND: 404,
  PARSE_PAYREQ_REQUEST_ERROR: 400,
  AMOUNT_OUT_OF_RANGE: 400,
  INVALID_CURRENCY: 400,
  SENDER_NOT_ACCEPTED: 400,
  MISSING_MANDATORY_PAYER_DATA: 400,
  MISSING_MANDATORY_PAYEE_DATA: 400,
  UNRECOGNIZED_MANDATORY_PAYEE_DATA_KEY: 501,
  PARSE_UTXO_CALLBACK_ERROR: 400,
  COUNTERPARTY_NOT_ALLOWED: 403,
  PARSE_LNURLP_RESPONSE_ERROR: 400,
  PARSE_PAYREQ_RESPONSE_ERROR: 400,
  LNURLP_REQUEST_FAILED: 424,
  PAYREQ_REQUEST_FAILED: 424,
  NO_COMPATIBLE_UMA_VERSION: 424,
  INVALID_INVOICE: 400,
  INVOICE_EXPIRED: 400,
  INVALID_INPUT: 400,
  INVALID_REQUEST_FORMAT: 400,
  FORBIDDEN: 403,
  NOT_IMPLEMENTED: 501,
  QUOTE_NOT_FOUND: 404,
  QUOTE_EXPIRED: 400,
  UMA_CONFIGURATION_FETCH_ERROR: 424,
} as const

export type UmaCode = keyof typeof UMA_STATUS

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
