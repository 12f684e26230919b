import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock'
import { readBody } from '../../platform/http/read-body'
import { isSignedBy, type NodeKey } from './keys'
import { LARGEST_ANSWER_BYTES, PATHS, PeerAnswer, PeerHistory, PeerStatement, type Action } from './messages'
import type { Peer } from './peers'
import { HEADERS, answerText, requestText, type SignedRequest } from './signature'

/** Like `fetch`, which it is outside of tests. */
export type Post = (url: string, init: RequestInit) => Promise<Response>

/** Connecting, waiting and reading together. */
const ANSWER_TIMEOUT_MS = 5_000

export interface WireClient {
  /**
   * The peer's final word on what was asked, signed by it for this very request.
   * @throws Error for everything else: nobody there, no answer in time, another status, a redirect, a signature that does
   * not hold, an answer that cannot be read. The request may have been carried out all the same.
   */
  ask(peer: Peer, action: 'pay' | 'track', message: unknown): Promise<PeerAnswer>
  /** What the peer's books say of us. @throws Error when it does not say. */
  statement(peer: Peer): Promise<PeerStatement>
  /** A page of the payments behind that statement, from where the last page ended. @throws Error when it does not say. */
  history(peer: Peer, side: 'received' | 'sent', before: string | undefined): Promise<PeerHistory>
}

/**
 * Whether a call failed before anything of it could leave: while the name was looked up or the connection made. The same
 * error of an open connection says nothing of what had left before.
 */
export function neverLeft(error: unknown): boolean {
  const { code, syscall, errors } = ((error as { cause?: unknown }).cause ?? {}) as {
    readonly code?: unknown
    readonly syscall?: unknown
    /** One for each address of a name. */
    readonly errors?: readonly { readonly syscall?: unknown }[]
  }
  const calls = errors === undefined ? [syscall] : errors.map((each) => each.syscall)
  return code === 'UND_ERR_CONNECT_TIMEOUT' || calls.every((each) => each === 'connect' || each === 'getaddrinfo')
}

class LateError extends Error {}
class UnusableAnswer extends Error {}

/** Statuses of a peer that may answer soon: too many calls, or its database is not available. */
const NOT_NOW = [429, 503]

/** Whether nothing was heard of a call: no connection, one that broke off, or no answer in time. */
export function noAnswer(error: unknown): boolean {
  return error instanceof LateError || (error instanceof TypeError && error.cause !== undefined)
}

/** Whether the peer answered something that no later call will make good: another status, no valid signature, another shape. */
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
  async function call<Answer>(peer: Peer, action: Action, message: unknown, read: (json: unknown) => Answer) {
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
    history: (peer, side, before) => call(peer, 'history', { side, before }, (json) => PeerHistory.parse(json)),
  }
}

function headersOf(request: SignedRequest, key: NodeKey): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    [HEADERS.key]: request.payer,
    [HEADERS.timestamp]: request.timestamp,
    [HEADERS.nonce]: request.nonce,
    [HEADERS.signature]: key.sign(requestText(request)),
  }
}

async function readAnswer(peer: Peer, request: SignedRequest, response: Response): Promise<string> {
  if (response.status !== 200) throw new Error(`the peer answered ${response.status}`)
  const body = await readBody(response, LARGEST_ANSWER_BYTES)
  const signature = response.headers.get(HEADERS.signature) ?? ''
  if (!isSignedBy(peer.key, answerText(request, response.status, body), signature))
    throw new Error('the answer is not signed by the peer')
  return body
}

/** Ends what is still open of the call as well: a body that nobody reads would hold its connection. */
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
