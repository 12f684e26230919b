import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { maskHeader, maskText } from './mask.ts'
import { CannotRun, Failure, type Exchange } from './verdict.ts'

/** No usable answer: no connection, no answer in time, or too many bytes. */
export class TransportError extends Failure {}

export interface Limits {
  /** For one request, headers and body. */
  readonly requestSeconds: number
  readonly answerBytes: number
  /** For all answers of a run. */
  readonly runBytes: number
  /** Most requests in one second. */
  readonly requestsPerSecond: number
}

export const LIMITS: Limits = {
  requestSeconds: 10,
  answerBytes: 1_000_000,
  runBytes: 100_000_000,
  requestsPerSecond: 1_000,
}

export interface HttpRequest {
  readonly method?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Overrides the limit of the client, for payments. */
  readonly seconds?: number
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed body; undefined when it is not JSON. */
  readonly json: unknown
  readonly url: string
}

/** What a run sent and received, shared by all clients of the run. */
export interface Meter {
  bytes: number
  answers: number
  /** When the next request may leave, in milliseconds of `performance.now()`. */
  nextAt: number
  /** Milliseconds that the run waited because of 429. */
  waitedMs: number
}

/** A VASP that asks for more time than this is not waited for. */
const MAX_RETRY_SECONDS = 60
const MAX_RETRIES = 3
/** For all waits of a run together. */
const MAX_RUN_WAIT_MS = 600_000

/** Sends requests with limits on time and size, follows no redirects, and records each exchange, masked. */
export class HttpClient {
  readonly exchanges: Exchange[] = []
  readonly #limits: Limits
  readonly #meter: Meter
  readonly #signal: AbortSignal
  readonly #hidden: readonly string[]
  /** Milliseconds that this client waited because of the pace or of 429. They do not count against a case. */
  waitedMs = 0

  constructor(limits: Limits, meter: Meter, signal: AbortSignal, hidden: readonly string[]) {
    this.#limits = limits
    this.#meter = meter
    this.#signal = signal
    this.#hidden = hidden
  }

  /**
   * Keeps to the pace of the run, and sends a request again that was answered with 429, after its `Retry-After`.
   * @throws TransportError without a complete answer; CannotRun when the VASP has not answered any request of the run.
   */
  async send(request: HttpRequest): Promise<Reply> {
    for (let retries = 0; ; retries += 1) {
      await this.#takeTurn()
      const reply = await this.#sendOnce(request)
      const seconds = retryAfterSeconds(reply)
      const isPatient = seconds <= MAX_RETRY_SECONDS && this.#meter.waitedMs < MAX_RUN_WAIT_MS
      if (reply.status !== 429 || retries === MAX_RETRIES || !isPatient) return reply
      this.#meter.waitedMs += seconds * 1_000
      await this.#wait(seconds * 1_000)
    }
  }

  async #takeTurn(): Promise<void> {
    const now = performance.now()
    const turn = Math.max(now, this.#meter.nextAt)
    this.#meter.nextAt = turn + 1_000 / this.#limits.requestsPerSecond
    // A shorter wait than a timer can measure is no wait.
    if (turn - now >= 2) await this.#wait(turn - now)
  }

  async #wait(milliseconds: number): Promise<void> {
    this.waitedMs += milliseconds
    await sleep(milliseconds, undefined, { signal: this.#signal }).catch(() => undefined)
  }

  async #sendOnce(request: HttpRequest): Promise<Reply> {
    const { url } = request
    const seconds = request.seconds ?? this.#limits.requestSeconds
    const sent = this.#describeRequest(request)
    // Not AbortSignal.timeout: inside AbortSignal.any, Node 20 may garbage-collect it before it fires.
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), seconds * 1000)
    try {
      const message = await answerOf(request, AbortSignal.any([this.#signal, late.signal]))
      this.#meter.answers += 1
      const text = await this.#read(message)
      const status = message.statusCode ?? 0
      const headers = headersOf(message)
      this.exchanges.push({ request: sent, response: this.#describeResponse(status, headers, text) })
      return { status, headers, text, json: parseJson(text), url }
    } catch (error) {
      const isLate = late.signal.aborted
      const reason = isLate
        ? `No complete answer from ${new URL(url).origin} within ${seconds} seconds.`
        : this.#reasonOf(error, url)
      this.exchanges.push({ request: sent, response: reason })
      if (this.#meter.answers === 0)
        throw new CannotRun(`${reason} Start the VASP, or correct its address (--vasp).`, { cause: error })
      throw new TransportError(reason, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  async #read(message: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.byteLength
      this.#meter.bytes += chunk.byteLength
      if (size > this.#limits.answerBytes)
        throw new TransportError(`The answer is larger than ${this.#limits.answerBytes} bytes.`)
      if (this.#meter.bytes > this.#limits.runBytes)
        throw new TransportError(`The answers of this run are larger than ${this.#limits.runBytes} bytes in total.`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  }

  #reasonOf(error: unknown, url: string): string {
    if (error instanceof TransportError) return error.message
    const { origin } = new URL(url)
    if (this.#signal.aborted) return 'The case took too long.'
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED') return `Nothing answers at ${origin}.`
    return `The request to ${origin} failed: ${code ?? message}.`
  }

  #describeRequest({ method = 'GET', url, headers = {}, body }: HttpRequest): string {
    const lines = Object.entries(headers).map(([name, value]) => maskHeader(name, value, this.#hidden))
    const text = body === undefined ? [] : ['', maskText(body, this.#hidden)]
    return [`${method} ${maskText(url, this.#hidden)}`, ...lines, ...text].join('\n')
  }

  #describeResponse(status: number, headers: Headers, text: string): string {
    const lines = [...headers].map(([name, value]) => maskHeader(name, value, this.#hidden))
    return [`HTTP ${status}`, ...lines, '', maskText(text, this.#hidden)].join('\n').trimEnd()
  }
}

/** Seconds or a date, as RFC 9110 has it; one second for anything else. */
function retryAfterSeconds({ headers }: Reply): number {
  const text = headers.get('retry-after') ?? ''
  if (/^\d{1,6}$/.test(text)) return Number(text)
  const date = Date.parse(text)
  return Number.isNaN(date) ? 1 : Math.max(0, (date - Date.now()) / 1_000)
}

/** One request on a connection of its own, as the public gateway sends it: a kept-alive connection may be closed at any moment. */
function answerOf(
  { method = 'GET', url, headers = {}, body }: HttpRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sent = send(url, {
      method,
      agent: false,
      signal,
      headers: {
        'User-Agent': 'uma-auth-conformance',
        ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
    })
    sent.on('response', resolve)
    // An error after the answer comes from a server that does not read the rest of the body.
    sent.on('error', reject)
    sent.end(body)
  })
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return headers
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
