import { createHash } from 'node:crypto'

/**
 * The signed content of a call. The texts of calls and answers begin with different words, and no field can contain a line
 * break, so no text can be read in two ways.
 */
export interface SignedRequest {
  /** Public key of the payer, hex. */
  readonly payer: string
  readonly path: string
  /** Host and port of the payee's origin: a call for one node is invalid at another. */
  readonly host: string
  /** Milliseconds since 1970. */
  readonly timestamp: string
  readonly nonce: string
  readonly body: string
}

export const HEADERS = {
  key: 'x-node-key',
  timestamp: 'x-node-timestamp',
  nonce: 'x-node-nonce',
  signature: 'x-node-signature',
} as const

/** The text that the payer signs. */
export function requestText({ payer, path, host, timestamp, nonce, body }: SignedRequest): string {
  return ['sandbox-ln request', payer, 'POST', path, host, timestamp, nonce, sha256(body)].join('\n')
}

/**
 * The text that the payee signs: its answer to this request by this payer. The nonce alone is not enough: another peer could
 * intercept it, use it in its own call, and pass on the signed refusal as the answer.
 */
export function answerText(request: SignedRequest, status: number, body: string): string {
  return ['sandbox-ln answer', request.nonce, sha256(requestText(request)), String(status), sha256(body)].join('\n')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
