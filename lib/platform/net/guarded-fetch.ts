import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { isBusy, makeConcurrencyLimiter } from '../concurrency/concurrency-limiter'
import { makeKeyedLimiter } from '../concurrency/keyed-limiter'
import { traceHeaders } from '../trace'
import { isPublicHostName } from './allowed-host'
import { fetchError, isFetchError, tooLargeAnswer } from './fetch-error'
import { makeKeepAlive, type KeepAlive } from './keep-alive'
import { publicLookup, type Resolve } from './public-lookup'
import { makeResolve } from './resolve-name'

export interface GuardedRequest {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * The server processes the same bytes once, however often it receives them. Only such requests and GET requests use an idle
   * connection. They are sent again on a new connection when the server has closed the idle one.
   */
  readonly isIdempotent?: boolean
  /** A limit below `TOTAL_MS`, from the call to the complete answer. */
  readonly totalMs?: number
  /** A redirect is an answer too, and three headers are read. Without it, a redirect is an error. */
  readonly acceptsRedirects?: true
  /** The largest answer that is read; 64 kB by default. */
  readonly maxBytes?: number
}

export interface GuardedAnswer {
  /** The status of a redirect only with `acceptsRedirects`. */
  readonly status: number
  readonly text: string
  /** With `acceptsRedirects`. */
  readonly headers?: {
    readonly date: string | undefined
    readonly location: string | undefined
    readonly cookies: readonly string[] | undefined
  }
}

/** @throws FetchError, and nothing else. */
export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedAnswer>

export interface GuardedFetchOptions {
  /** Hosts with their ports that are reached over http at any address: the other VASPs of a sandbox. */
  readonly localPeers: readonly string[]
  /** Origins that the operator has configured. They are reached over http or https, at any address and port. */
  readonly configuredOrigins?: readonly string[]
  /** For tests. The default queries the name servers. */
  readonly resolve?: Resolve
  readonly connectMs?: number
  readonly totalMs?: number
}

const CONNECT_MS = 5_000
/** For queueing, connecting and reading together. */
const TOTAL_MS = 10_000
/** The default for an answer. */
const MAX_ANSWER_BYTES = 64 * 1024
const LIMITS = { maxConcurrent: 10, maxQueued: 100 }
/** Half of the slots, so that a slow host leaves the other half for other hosts. */
const LIMITS_PER_HOST = { maxConcurrent: 5, maxQueued: 100 }

/**
 * The only way to fetch from a URL that another party chose: https to public names at public addresses, except for the local peers
 * and the configured origins.
 * The address is checked when the connection is opened, and the connection uses the checked address, so a name cannot resolve to
 * another address in between. Redirects are not followed. Time, size and number of requests are bounded.
 */
export function makeGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { connectMs = CONNECT_MS, totalMs = TOTAL_MS } = options
  const lookup = publicLookup(options.resolve ?? makeResolve())
  const keepAlive = makeKeepAlive()
  const all = makeConcurrencyLimiter(LIMITS)
  const perHost = makeKeyedLimiter(LIMITS_PER_HOST)

  return async (address, request = {}) => {
    const { url, isAnyAddress } = allowedUrl(address, options)
    const signal = AbortSignal.timeout(Math.min(totalMs, request.totalMs ?? totalMs))
    const timeout = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () =>
        reject(fetchError('late', 'no complete answer came in time', signal.reason)),
      )
    })
    const connection = { connectMs, signal, lookup: isAnyAddress ? undefined : lookup }
    const task = (): Promise<GuardedAnswer> => {
      signal.throwIfAborted()
      return exchange(url, request, connection, keepAlive)
    }
    try {
      // A request that times out in the queue fails immediately, and is skipped when its slot is free.
      return await Promise.race([perHost.run(url.host, () => all.run(task)), timeout])
    } catch (error) {
      if (signal.aborted) throw fetchError('late', 'no complete answer came in time', error)
      if (isFetchError(error)) throw error
      if (isBusy(error)) throw fetchError('busy', 'too many requests to other servers are pending')
      throw fetchError('unreachable', 'the server did not answer', error)
    }
  }
}

/** @throws FetchError before any socket is opened. */
function allowedUrl(
  address: string,
  { localPeers, configuredOrigins = [] }: GuardedFetchOptions,
): { readonly url: URL; readonly isAnyAddress: boolean } {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || url.username !== '' || url.password !== '' || address.length > 2_048)
    throw fetchError('not-allowed', 'the address cannot be fetched')
  if (configuredOrigins.includes(url.origin) || (url.protocol === 'http:' && localPeers.includes(url.host)))
    return { url, isAnyAddress: true }
  if (url.protocol !== 'https:' || url.port !== '' || !isPublicHostName(url.hostname))
    throw fetchError('not-allowed', 'the address is not a public https address')
  return { url, isAnyAddress: false }
}

interface Connection {
  readonly connectMs: number
  readonly signal: AbortSignal
  readonly lookup: LookupFunction | undefined
}

async function exchange(
  url: URL,
  request: GuardedRequest,
  connection: Connection,
  keepAlive: KeepAlive,
): Promise<GuardedAnswer> {
  const { method = 'GET', isIdempotent = method === 'GET' } = request
  const first = send(url, request, connection, isIdempotent && keepAlive.agentFor(url))
  const response = await first.catch((error: unknown) => {
    if (error !== STALE) throw error
    // Other idle connections to this server may be closed too.
    return send(url, request, connection, false)
  })
  const { acceptsRedirects = false, maxBytes = MAX_ANSWER_BYTES } = request
  const { date, location, 'set-cookie': cookies } = response.headers
  const text = await readText(response, acceptsRedirects, maxBytes)
  return {
    status: response.statusCode ?? 0,
    text,
    ...(acceptsRedirects ? { headers: { date, location, cookies } } : {}),
  }
}

const STALE = Symbol('the server had closed the idle connection')

/** @throws STALE when the server had closed the idle connection before any byte of the answer came. */
function send(
  url: URL,
  { method = 'GET', headers = {}, body }: GuardedRequest,
  { connectMs, signal, lookup }: Connection,
  agent: http.Agent | false,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isHttps = url.protocol === 'https:'
    const sent = (isHttps ? https : http).request(url, {
      method,
      headers: {
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
        'User-Agent': 'uma-sandbox-vasp',
        ...traceHeaders(),
        ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
      agent,
      signal,
      ...(lookup === undefined ? {} : { lookup }),
    })
    const connecting = setTimeout(() => sent.destroy(fetchError('late', 'no connection in time')), connectMs)
    let bytesBefore = 0
    sent.once('socket', (socket) => {
      bytesBefore = socket.bytesRead
      if (sent.reusedSocket) clearTimeout(connecting)
      else socket.once(isHttps ? 'secureConnect' : 'connect', () => clearTimeout(connecting))
    })
    sent.once('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      reject(sent.reusedSocket && isClosed && sent.socket?.bytesRead === bytesBefore ? STALE : error)
    })
    sent.once('response', resolve)
    // A protocol upgrade ends neither in an error nor in a response.
    sent.once('close', () => {
      clearTimeout(connecting)
      reject(fetchError('answer', 'the connection was closed without an answer'))
    })
    sent.end(body)
  })
}

async function readText(response: IncomingMessage, acceptsRedirects: boolean, maxBytes: number): Promise<string> {
  const { statusCode = 0, headers } = response
  const chunks: Buffer[] = []
  let size = 0
  try {
    if (statusCode >= 300 && statusCode < 400 && !acceptsRedirects)
      throw fetchError('answer', 'the answer is a redirect')
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      throw fetchError('answer', 'the answer is compressed')
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.byteLength
      if (size > maxBytes) throw tooLargeAnswer(maxBytes)
      chunks.push(chunk)
    }
  } finally {
    // Closes the connection of an answer that is not complete: the server may never end it.
    response.destroy()
  }
  return Buffer.concat(chunks).toString('utf8')
}
