import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock'
import { readBody } from '../../platform/http/read-body'
import { traceHeaders } from '../../platform/trace'
import { isSignedBy, type NodeKey } from './keys'
import { MAX_ANSWER_BYTES, PATHS, PeerAnswer, PeerStatement, type Action } from './messages'
import type { PeerNode } from './peers'
import { answerText, HEADERS, requestText, type SignedRequest } from './signature'

/** `fetch`, or a replacement that answers in this process or injects faults. */
export type Post = (url: string, init: RequestInit) => Promise<Response>

/** The timeout for connecting, waiting and reading together. */
const ANSWER_TIMEOUT_MS = 5_000

export interface WireClient {
  /**
   * The peer's final answer, signed by the peer for this request.
   * @throws Error for everything else: no connection, no answer in time, another status, a redirect, an invalid signature, an
   * unreadable answer. The peer may still have carried out the request.
   */
  ask(peer: PeerNode, action: 'pay' | 'track', message: unknown): Promise<PeerAnswer>
  /** The peer's totals with us. @throws Error as `ask` does. */
  statement(peer: PeerNode): Promise<PeerStatement>
}

/**
 * Whether a call failed before it was sent: during name resolution or while connecting. The same error on an open connection does
 * not show how much had been sent before.
 */
export function neverLeft(error: unknown): boolean {
  const { code, syscall, errors } = ((error as { cause?: unknown }).cause ?? {}) as {
    readonly code?: unknown
    readonly syscall?: unknown
    /** One for each address of the name. */
    readonly errors?: readonly { readonly syscall?: unknown }[]
  }
  const calls = errors === undefined ? [syscall] : errors.map((each) => each.syscall)
  return code === 'UND_ERR_CONNECT_TIMEOUT' || calls.every((each) => each === 'connect' || each === 'getaddrinfo')
}

class LateError extends Error {}
class UnusableAnswer extends Error {}

/** Statuses after which another call may soon succeed: too many calls, or the peer's database is not available. */
const NOT_NOW = [429, 503]

/** Whether a call got no answer: no connection, a lost connection, or a timeout. */
export function noAnswer(error: unknown): boolean {
  return error instanceof LateError || (error instanceof TypeError && error.cause !== undefined)
}

/** Whether the peer gave an answer that a repeated call will not change: another status, no valid signature, another shape. */
export function isUnusable(error: unknown): boolean {
  return error instanceof UnusableAnswer
}

export function makeWireClient({
  key,
  clock,
  post,
}: {
  readonly key: NodeKey
  readonly clock: Clock
  readonly post: Post
}): WireClient {
  async function call<Answer>(peer: PeerNode, action: Action, message: unknown, read: (json: unknown) => Answer) {
    const request: SignedRequest = {
      payer: key.publicKeyHex,
      path: PATHS[action],
      host: new URL(peer.origin).host,
      timestamp: String(clock.now().getTime()),
      nonce: randomBytes(16).toString('hex'),
      body: JSON.stringify(message),
    }
    const init = { method: 'POST', body: request.body, headers: headersOf(request, key), redirect: 'error' } as const
    return inTime(async (signal) => {
      const response = await post(`${peer.origin}${request.path}`, { ...init, signal })
      if (NOT_NOW.includes(response.status)) throw new Error(`the peer answered ${response.status}`)
      try {
        return read(JSON.parse(await readAnswer(peer, request, response)))
      } catch (error) {
        throw new UnusableAnswer(error instanceof Error ? error.message : String(error))
      }
    })
  }
  return {
    ask: (peer, action, message) => call(peer, action, message, (json) => PeerAnswer.parse(json)),
    statement: (peer) => call(peer, 'statement', {}, (json) => PeerStatement.parse(json)),
  }
}

function headersOf(request: SignedRequest, key: NodeKey): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    ...traceHeaders(),
    [HEADERS.key]: request.payer,
    [HEADERS.timestamp]: request.timestamp,
    [HEADERS.nonce]: request.nonce,
    [HEADERS.signature]: key.sign(requestText(request)),
  }
}

async function readAnswer(peer: PeerNode, request: SignedRequest, response: Response): Promise<string> {
  if (response.status !== 200) throw new Error(`the peer answered ${response.status}`)
  const body = await readBody(response, MAX_ANSWER_BYTES)
  const signature = response.headers.get(HEADERS.signature) ?? ''
  if (!isSignedBy(peer.key, answerText(request, response.status, body), signature))
    throw new Error('the answer is not signed by the peer')
  return body
}

/** Aborts the call at the timeout, and also when the work ends, because an unread body would keep its connection open. */
async function inTime<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const end = new AbortController()
  const late = new Promise<never>((_, reject) => {
    end.signal.addEventListener('abort', () => reject(new LateError('the peer did not answer in time')))
  })
  const timer = setTimeout(() => end.abort(), ANSWER_TIMEOUT_MS)
  try {
    return await Promise.race([work(end.signal), late])
  } finally {
    clearTimeout(timer)
    end.abort()
  }
}
