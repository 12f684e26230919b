import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { isBusy, makeConcurrencyLimiter } from '../concurrency/concurrency-limiter'
import { makeKeyedLimiter } from '../concurrency/keyed-limiter'
import { isPublicHostName } from './allowed-host'
import { fetchError, isFetchError } from './fetch-error'
import { makeKeptConnections, wasStale, type KeptConnections } from './kept-connections'
import { publicLookup, type Resolve } from './public-lookup'
import { readAnswer } from './read-answer'
import { makeResolve } from './resolve-name'

export interface GuardedRequest {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * For a POST: the other side does it once, however often these very bytes come, so that it may go out on a kept connection,
   * and once more on a new one if that was closed. A POST that does not say so has a connection of its own. A GET may always.
   */
  readonly isDoneOnce?: boolean
  /** Less than the usual time, from asking to the whole answer. */
  readonly totalMs?: number
}

export interface GuardedAnswer {
  /** Never a redirect. */
  readonly status: number
  readonly text: string
}

/** @throws FetchError, and nothing else. */
export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedAnswer>

export interface GuardedFetchParts {
  /** Hosts, with their ports, that are spoken to by http and at whatever address: the other VASPs of a sandbox. */
  readonly localPeers: readonly string[]
  /** For tests; the system's name servers otherwise. */
  readonly resolve?: Resolve
  readonly connectMs?: number
  readonly totalMs?: number
}

const CONNECT_MS = 5_000
/** From the moment that it was asked for: waiting for a turn, connecting, and reading together. */
const TOTAL_MS = 10_000
const AT_ONCE = 10
/** To one host, so that a slow one leaves places for others. */
const AT_ONCE_PER_HOST = 5
const MOST_WAITING = 100

/**
 * The one way to fetch from an address that somebody else chose: https to public names at public addresses, except for the
 * local peers. Addresses are checked when the connection is made, and the checked one is dialled, so that a name cannot lead
 * elsewhere in between; a connection that is kept for the next request of the same origin stays with that address. Redirects
 * are not followed; time, size and number are bounded.
 */
export function makeGuardedFetch(parts: GuardedFetchParts): GuardedFetch {
  const { localPeers, connectMs = CONNECT_MS, totalMs = TOTAL_MS } = parts
  const lookup = publicLookup(parts.resolve ?? makeResolve())
  const kept = makeKeptConnections()
  const all = makeConcurrencyLimiter({ maxConcurrent: AT_ONCE, maxQueued: MOST_WAITING })
  const perHost = makeKeyedLimiter({ maxConcurrent: AT_ONCE_PER_HOST, maxQueued: MOST_WAITING })

  async function inTurn<Result>(host: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await perHost.run(host, () => all.run(work))
    } catch (error) {
      throw isBusy(error) ? fetchError('busy', 'too many requests to other servers are under way') : error
    }
  }

  return async (address, request = {}) => {
    const url = allowedUrl(address, localPeers)
    const isLocal = url.protocol === 'http:'
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), Math.min(totalMs, request.totalMs ?? totalMs))
    try {
      // Whoever is late while waiting for a turn is answered at once, and its turn is skipped when it comes.
      return await orAborted(late.signal, () =>
        inTurn(url.host, async () => {
          late.signal.throwIfAborted()
          return exchange(url, request, { connectMs, signal: late.signal, lookup: isLocal ? undefined : lookup, kept })
        }),
      )
    } catch (error) {
      if (isFetchError(error)) throw error
      if (late.signal.aborted) throw fetchError('late', 'no whole answer came in time', error)
      throw fetchError('unreachable', 'no answer could be had', error)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** @throws FetchError before any socket is opened. */
function allowedUrl(address: string, localPeers: readonly string[]): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || url.username !== '' || url.password !== '' || address.length > 2_048)
    throw fetchError('not-allowed', 'the address is none that can be fetched')
  if (url.protocol === 'http:' && localPeers.includes(url.host)) return url
  if (url.protocol !== 'https:' || url.port !== '' || !isPublicHostName(url.hostname))
    throw fetchError('not-allowed', 'the address is none of the public internet by https')
  return url
}

interface Dial {
  readonly connectMs: number
  readonly signal: AbortSignal
  readonly lookup: LookupFunction | undefined
  /** Undefined: the request has a connection of its own. */
  readonly kept: KeptConnections | undefined
}

async function exchange(url: URL, request: GuardedRequest, dial: Dial): Promise<GuardedAnswer> {
  const { method = 'GET', isDoneOnce = method === 'GET' } = request
  const answer = await (isDoneOnce ? headOfOnce(url, request, dial) : head(url, request, { ...dial, kept: undefined }))
  const status = answer.statusCode ?? 0
  if (status >= 300 && status < 400) {
    answer.destroy()
    throw fetchError('answer', 'the answer is a redirect')
  }
  return { status, text: await readAnswer(answer) }
}

const STALE = Symbol('the kept connection was closed')

/** The other connections that are kept to that server may be as old, so the second try has a new one. */
async function headOfOnce(url: URL, request: GuardedRequest, dial: Dial): Promise<IncomingMessage> {
  try {
    return await head(url, request, dial)
  } catch (error) {
    if (error !== STALE) throw error
    return head(url, request, { ...dial, kept: undefined })
  }
}

/** @throws STALE when nothing came back because the kept connection had been closed. */
function head(url: URL, { method = 'GET', headers = {}, body }: GuardedRequest, dial: Dial): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? https.request : http.request
    const sent = send(url, {
      method,
      headers: {
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
        'User-Agent': 'uma-sandbox-vasp',
        ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
      agent: dial.kept?.agentFor(url) ?? false,
      signal: dial.signal,
      ...(dial.lookup === undefined ? {} : { lookup: dial.lookup }),
    })
    const connecting = setTimeout(() => sent.destroy(fetchError('late', 'no connection in time')), dial.connectMs)
    const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect'
    let bytesBefore = 0
    sent.once('socket', (socket) => {
      bytesBefore = socket.bytesRead
      if (sent.reusedSocket) clearTimeout(connecting)
      else socket.once(ready, () => clearTimeout(connecting))
    })
    sent.once('error', (error) => reject(wasStale(sent, error, bytesBefore) ? STALE : error))
    sent.once('response', resolve)
    // A change of protocol, which nobody asked for, ends neither in an error nor in an answer; its turn has to end all the same.
    sent.once('close', () => {
      clearTimeout(connecting)
      reject(fetchError('answer', 'the connection was closed without an answer'))
    })
    sent.end(body)
  })
}

function orAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    work().then(resolve, reject)
  })
}
