import { Failure, type Exchange } from './verdict.ts'
import { maskHeader, maskText } from './mask.ts'

/** No usable answer: no connection, no answer in time, or too many bytes. */
export class TransportError extends Failure {}

export interface Limits {
  /** For one request, headers and body. */
  readonly requestSeconds: number
  readonly answerBytes: number
  /** For all answers of a run. */
  readonly runBytes: number
}

export const LIMITS: Limits = { requestSeconds: 10, answerBytes: 1_000_000, runBytes: 100_000_000 }

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

/** Bytes received in a run, shared by all clients of the run. */
export interface Meter {
  bytes: number
}

/** Sends requests with limits on time and size, follows no redirects, and records each exchange, masked. */
export class HttpClient {
  readonly exchanges: Exchange[] = []
  readonly #limits: Limits
  readonly #meter: Meter
  readonly #signal: AbortSignal
  readonly #hidden: readonly string[]

  constructor(limits: Limits, meter: Meter, signal: AbortSignal, hidden: readonly string[]) {
    this.#limits = limits
    this.#meter = meter
    this.#signal = signal
    this.#hidden = hidden
  }

  /** @throws TransportError without a complete answer. */
  async send(request: HttpRequest): Promise<Reply> {
    const { method = 'GET', url, headers = {}, body } = request
    const seconds = request.seconds ?? this.#limits.requestSeconds
    const sent = this.#describeRequest(request)
    // Not AbortSignal.timeout: inside AbortSignal.any, Node 20 may collect it before it fires.
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), seconds * 1000)
    const signal = AbortSignal.any([this.#signal, late.signal])
    try {
      const response = await fetch(url, {
        method,
        headers: { 'User-Agent': 'uma-auth-conformance', ...headers },
        redirect: 'manual',
        signal,
        ...(body === undefined ? {} : { body }),
      })
      const text = await this.#read(response)
      this.exchanges.push({ request: sent, response: this.#describeResponse(response, text) })
      return { status: response.status, headers: response.headers, text, json: parseJson(text), url }
    } catch (error) {
      const isLate = late.signal.aborted
      const reason = isLate
        ? `No complete answer from ${new URL(url).origin} within ${seconds} seconds.`
        : this.#reasonOf(error, url)
      this.exchanges.push({ request: sent, response: reason })
      throw new TransportError(reason, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  async #read(response: Response): Promise<string> {
    if (response.body === null) return ''
    const decoder = new TextDecoder()
    const reader = response.body.getReader()
    let [text, size] = ['', 0]
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      size += value.byteLength
      this.#meter.bytes += value.byteLength
      if (size > this.#limits.answerBytes || this.#meter.bytes > this.#limits.runBytes) {
        await reader.cancel()
        throw new TransportError(
          size > this.#limits.answerBytes
            ? `The answer is larger than ${this.#limits.answerBytes} bytes.`
            : `The answers of this run are larger than ${this.#limits.runBytes} bytes together.`,
        )
      }
      text += decoder.decode(value, { stream: true })
    }
  }

  #reasonOf(error: unknown, url: string): string {
    if (error instanceof TransportError) return error.message
    const { origin } = new URL(url)
    if (this.#signal.aborted) return 'The case took too long.'
    const cause = error instanceof Error ? (error.cause as { code?: string; message?: string } | undefined) : undefined
    if (cause?.code === 'ECONNREFUSED') return `Nothing answers at ${origin}.`
    return `The request to ${origin} failed: ${cause?.code ?? cause?.message ?? String(error)}.`
  }

  #describeRequest({ method = 'GET', url, headers = {}, body }: HttpRequest): string {
    const lines = Object.entries(headers).map(([name, value]) => maskHeader(name, value, this.#hidden))
    const text = body === undefined ? [] : ['', maskText(body, this.#hidden)]
    return [`${method} ${maskText(url, this.#hidden)}`, ...lines, ...text].join('\n')
  }

  #describeResponse({ status, headers }: Response, text: string): string {
    const lines = [...headers].map(([name, value]) => maskHeader(name, value, this.#hidden))
    return [`HTTP ${status}`, ...lines, '', maskText(text, this.#hidden)].join('\n').trimEnd()
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
