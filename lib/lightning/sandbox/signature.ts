import { createHash } from 'node:crypto'

/**
 * What is signed on the wire. The two texts begin with different words, so that neither can be taken for the other; no
 * field can hold a line break, so that no field can be taken for its neighbour.
 */
export interface SignedRequest {
  /** Public key of the payer, hex. */
  readonly payer: string
  readonly path: string
  /** Host and port of the payee's origin: what is signed for one node is nothing at another. */
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
 * The text that the payee signs: its answer to this one request of this payer. The nonce alone would not do: another peer
 * could overhear it, have a refusal of its own signed for it, and pass that on as the answer.
 */
export function answerText(request: SignedRequest, status: number, body: string): string {
  return ['sandbox-ln answer', request.nonce, sha256(requestText(request)), String(status), sha256(body)].join('\n')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
