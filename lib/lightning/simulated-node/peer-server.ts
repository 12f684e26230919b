import type { Clock } from '../../platform/clock'
import { setBounded } from '../../platform/concurrency/bounded-map'
import { isBusy } from '../../platform/concurrency/concurrency-limiter'
import { isVaspError } from '../../platform/errors'
import { readBody } from '../../platform/http/read-body'
import type { Log } from '../../platform/log'
import { parseJson } from '../../platform/parse-json'
import { namePayment } from '../../platform/trace'
import type { CreditPlanner, IncomingPayment } from '../credit-planner'
import type { Failure, NodeEvent } from '../node'
import { provesPayment } from '../preimage'
import type { Books, Incoming, Question, Receipt } from './books'
import { isSignedBy, type NodeKey } from './keys'
import {
  CLOCK_SKEW_MS,
  MAX_REQUEST_BYTES,
  PATHS,
  PayMessage,
  TrackMessage,
  type Action,
  type PeerAnswer,
} from './messages'
import type { PeerLimits } from './peer-limits'
import type { PeerNodes } from './peers'
import { answerText, HEADERS, requestText, type SignedRequest } from './signature'

export interface WireServerParts {
  readonly key: NodeKey
  readonly publicOrigin: string
  readonly peers: PeerNodes
  readonly peerLimitMsats: bigint
  readonly books: Books
  readonly limits: PeerLimits
  readonly creditPlanner: CreditPlanner
  readonly clock: Clock
  readonly log: Log
  readonly tell: (event: NodeEvent) => void
  /**
   * Whether a payment gets no final answer for now. The payer asks again, and nothing is credited. `memo` is the description of
   * the invoice; undefined when it was not read.
   */
  readonly isHeld?: ((paymentHash: string, memo: string | null | undefined) => Promise<boolean>) | undefined
  /** Called after each answer. */
  readonly onMessage?: ((message: PeerMessage) => void) | undefined
}

/** A call from a peer, for the events of the VASP. */
export interface PeerMessage {
  /** Undefined for an unknown path. */
  readonly action: Action | undefined
  readonly status: number
  readonly durationMs: number
  /** Set when a payment was accepted for one of our users. */
  readonly received?: Received | undefined
}

interface Received {
  readonly username: string
  readonly paymentHash: string
  readonly amountMsats: bigint
  readonly isKeysend: boolean
}

/** What one call has credited. */
interface Handled {
  /** The payments that this process has passed to `onMessage`, so that a repeated call from a peer does not pass one again. */
  readonly reported: Map<string, true>
  received?: Received
}

const MAX_REPORTED = 10_000

/**
 * Answers peers. Nothing is read from the database before the signature of the call is verified. A final answer is signed. Other
 * answers (400, 401, 404, 405, 413, 429, 503) are not, so no payer treats them as final. Never throws.
 */
export function makeWireServer(parts: WireServerParts): (request: Request) => Promise<Response> {
  const { key, publicOrigin, peers, limits, clock, log } = parts
  const { host } = new URL(publicOrigin)
  const reported = new Map<string, true>()

  /** The request, if a peer signed it for this node within the last few minutes. */
  async function authenticate(request: Request, path: string): Promise<SignedRequest | undefined> {
    const { headers } = request
    const payer = headers.get(HEADERS.key) ?? ''
    const timestamp = headers.get(HEADERS.timestamp) ?? ''
    const nonce = headers.get(HEADERS.nonce) ?? ''
    const peer = peers.get(payer)
    if (peer === undefined || !/^[0-9a-f]{32}$/.test(nonce) || !/^[1-9]\d{12,14}$/.test(timestamp)) return undefined
    if (Math.abs(Number(timestamp) - clock.now().getTime()) > CLOCK_SKEW_MS) return undefined
    const signed = { payer, path, host, timestamp, nonce, body: await readBody(request, MAX_REQUEST_BYTES) }
    return isSignedBy(peer.key, requestText(signed), headers.get(HEADERS.signature) ?? '') ? signed : undefined
  }

  async function handle(request: Request, path: string, handled: Handled): Promise<Response> {
    const action = actionOf(path)
    if (action === undefined) return plain(404, 'Address not found.')
    if (request.method !== 'POST') return plain(405, 'This address accepts POST.', { Allow: 'POST' })
    const signed = await authenticate(request, path)
    if (signed === undefined) return tooMany(limits.consumeUnsignedCall()) ?? plain(401, 'Unauthorized')
    const refused = tooMany(limits.consumeCall(signed.payer))
    if (refused !== undefined) return refused
    const answer = await limits.run(signed.payer, () => carryOut(parts, signed, action, handled))
    if (answer === undefined) return plain(400, 'The request is not valid.')
    if (answer instanceof Response) return answer
    const body = JSON.stringify(answer)
    return reply(200, body, { [HEADERS.signature]: key.sign(answerText(signed, 200, body)) })
  }

  async function neverThrow(request: Request, path: string, handled: Handled): Promise<Response> {
    try {
      return await handle(request, path, handled)
    } catch (error) {
      // The body was too large, or was cut off.
      if (isVaspError(error) && [400, 413].includes(error.status)) return plain(error.status, error.message)
      if (isBusy(error)) return tooMany(1)
      log.error({ error }, 'a call from a peer could not be answered')
      return plain(503, 'The node cannot answer right now.')
    }
  }

  return async (request) => {
    const startedAtMs = performance.now()
    const path = new URL(request.url).pathname
    const handled: Handled = { reported }
    const response = await neverThrow(request, path, handled)
    const durationMs = performance.now() - startedAtMs
    const action = actionOf(path)
    if (action === 'pay')
      log.info({ status: response.status, ms: Math.round(durationMs) }, 'a peer asked this node to receive a payment')
    parts.onMessage?.({ action, status: response.status, durationMs, received: handled.received })
    return response
  }
}

function actionOf(path: string): Action | undefined {
  return (Object.keys(PATHS) as Action[]).find((action) => PATHS[action] === path)
}

/** Undefined for an invalid message; a Response, which is not signed, when nothing was done. */
async function carryOut(
  parts: WireServerParts,
  { payer, body }: SignedRequest,
  action: Action,
  handled: Handled,
): Promise<PeerAnswer | Record<'received_msats' | 'sent_msats', string> | Response | undefined> {
  const json = parseJson(body)
  if (action === 'statement') {
    const { receivedMsats, sentMsats } = await parts.books.totals(payer)
    return { received_msats: String(receivedMsats), sent_msats: String(sentMsats) }
  }
  const pay = action === 'pay' ? PayMessage.safeParse(json).data : undefined
  const message = action === 'pay' ? pay : TrackMessage.safeParse(json).data
  if (message === undefined) return undefined
  namePayment({ paymentHash: message.payment_hash })
  const question: Question = { payer, paymentHash: message.payment_hash, attempt: message.attempt }
  const incoming = pay === undefined ? NEVER_SENT : await plan(parts, question, pay)
  const memo = 'failure' in incoming ? undefined : incoming.plan.description
  if ((await parts.isHeld?.(message.payment_hash, memo)) === true) return plain(503, 'The payment is pending.')
  const { answer, amountMsats } = await receiveOrRefuse(parts, question, incoming, handled)
  // The listeners receive a repeated call again: a process may have ended before its listeners knew.
  if (amountMsats !== null)
    parts.tell({ kind: 'received', paymentHash: question.paymentHash, amountMsats, account: payer, isBooked: true })
  return answer
}

/** What a question about a payment means if the payment has not arrived. */
const NEVER_SENT = { failure: 'never-sent' } as const

async function receiveOrRefuse(
  parts: WireServerParts,
  question: Question,
  incoming: Incoming | { readonly failure: Failure },
  handled: Handled,
): Promise<Receipt> {
  if ('failure' in incoming) return parts.books.refuse(question, incoming.failure)
  const receipt = await parts.books.receive(question, incoming)
  noteReceived(handled, question, incoming, receipt)
  return receipt
}

/** Notes an accepted payment once, with the recorded amount: a repeated call may state a different one. */
function noteReceived(
  handled: Handled,
  { paymentHash }: Question,
  { plan: { username }, preimage }: Incoming,
  { amountMsats }: Receipt,
): void {
  if (amountMsats === null || handled.reported.has(paymentHash)) return
  setBounded(handled.reported, paymentHash, true, MAX_REPORTED)
  handled.received = { username, paymentHash, amountMsats, isKeysend: preimage !== undefined }
}

/** Plans the credit; the database decides whether the payment is accepted. */
async function plan(
  { creditPlanner, peers, peerLimitMsats }: WireServerParts,
  { payer, paymentHash }: Question,
  message: PayMessage,
): Promise<Incoming | { readonly failure: Failure }> {
  const { amount_msats: amountMsats, invoice, keysend } = message
  const preimage = keysend?.preimage
  if (preimage !== undefined && !provesPayment(preimage, paymentHash)) return { failure: 'unknown' }
  const incoming: IncomingPayment = {
    paymentHash,
    amountMsats,
    account: payer,
    ...(invoice === undefined ? {} : { invoice }),
    ...(keysend === undefined ? {} : { keysend }),
  }
  const credit = await creditPlanner.planCredit(incoming)
  if ('failure' in credit) return credit
  // The deadline was set by the payer's clock, which may be behind ours by the allowed skew.
  const deadline = message.deadline + CLOCK_SKEW_MS
  const maxOwedMsats = peers.get(payer)?.limitMsats ?? peerLimitMsats
  return { amountMsats, deadline, maxOwedMsats, preimage, plan: credit }
}

/**
 * Not signed, and so not final: only recorded answers are final, and a copy of the same call may arrive later. The payer asks
 * with `track` until it has a final answer.
 */
function tooMany(retryAfterSeconds: number): Response
function tooMany(retryAfterSeconds: number | undefined): Response | undefined
function tooMany(retryAfterSeconds: number | undefined): Response | undefined {
  if (retryAfterSeconds === undefined) return undefined
  return plain(429, 'Too many requests. Try again later.', { 'Retry-After': String(retryAfterSeconds) })
}

/** An unsigned answer, in the shape of the API's errors. */
function plain(status: number, message: string, headers: Record<string, string> = {}): Response {
  const code = CODES.get(status) ?? 'OTHER'
  return reply(status, JSON.stringify({ code, message }), headers)
}

const CODES: ReadonlyMap<number, string> = new Map([
  [401, 'UNAUTHORIZED'],
  [429, 'RATE_LIMITED'],
  [503, 'INTERNAL'],
])

function reply(status: number, body: string, headers: Record<string, string>): Response {
  return new Response(body, {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
  })
}
