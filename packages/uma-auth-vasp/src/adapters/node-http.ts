import type { IncomingMessage, ServerResponse } from 'node:http'
import { splitUrl, type ApiRequest } from '../request.ts'
import type { UmaAuthVasp } from '../vasp.ts'

/** A listener of `node:http`, and middleware of Express and Connect. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void

/**
 * Mounts a VASP on `node:http`, Express or Connect. Mount it at the root, or at the VASP's `mountPath`: it answers its own paths and
 * passes all others to `next`, or answers them 404 without one. It works before and after a body parser; after one, the parser answers
 * a body that it refuses. The README has sections for Fastify and NestJS.
 * @param options.headers sent with every answer, in addition to the VASP's own.
 */
export function toNodeHandler(
  vasp: Pick<UmaAuthVasp, 'handle' | 'owns'>,
  { headers = {} }: { readonly headers?: Readonly<Record<string, string>> | undefined } = {},
): NodeHandler {
  return (request, response, next) => {
    const url = urlOf(request)
    if (next !== undefined && !vasp.owns(splitUrl(url).path)) return next()
    void send(vasp, new NodeRequest(request, response, url), response, headers)
      .catch(() => fail(response))
      .then(() => discardRest(request))
  }
}

/** `handle` never rejects. Sending can fail when another middleware has begun the response. */
async function send(
  vasp: Pick<UmaAuthVasp, 'handle'>,
  request: ApiRequest,
  response: ServerResponse,
  added: Readonly<Record<string, string>>,
): Promise<void> {
  const { status, headers, text } = await vasp.handle(request)
  if (response.headersSent) return void response.destroy()
  const length = status === 204 ? {} : { 'Content-Length': Buffer.byteLength(text) }
  response.writeHead(status, { ...added, ...headers, ...length })
  // Node sends no body in answer to HEAD.
  response.end(text)
}

/** For an answer that cannot be sent, such as one with a header that node refuses. */
function fail(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(500, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  response.end('{"code":"INTERNAL","message":"Something went wrong on our side."}')
}

/** Discards the unread rest of a refused call's body. Otherwise the connection stays occupied. Most calls have none. */
function discardRest(request: IncomingMessage): void {
  if (!request.complete || request.readableLength > 0) request.resume()
}

/** Sends a web response, such as one of `vasp.login`, through node's response. Cookies that were set before are kept. */
export async function sendResponse(response: Response, to: ServerResponse): Promise<void> {
  to.statusCode = response.status
  for (const [name, value] of response.headers)
    if (name === 'set-cookie') to.appendHeader(name, value)
    else to.setHeader(name, value)
  to.end(await response.text())
}

/** Express rewrites `url` below a mount point and keeps the original. */
function urlOf(request: IncomingMessage & { readonly originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '/'
}

/** A class, because an object literal with getters costs 8 µs per request, a third of the time of node:http itself. */
class NodeRequest implements ApiRequest {
  readonly url: string
  readonly #request: IncomingMessage
  readonly #response: ServerResponse

  constructor(request: IncomingMessage, response: ServerResponse, url: string) {
    this.url = url
    this.#request = request
    this.#response = response
  }

  get method(): string {
    return this.#request.method ?? 'GET'
  }

  get headers(): ApiRequest['headers'] {
    return { get: (name) => headerOf(this.#request.rawHeaders, name) }
  }

  get body(): AsyncIterable<Uint8Array> {
    return bodyOf(this.#request)
  }

  get remoteAddress(): string | undefined {
    return this.#request.socket.remoteAddress
  }

  get signal(): AbortSignal {
    return signalOf(this.#response)
  }
}

/** Reads the raw headers: node keeps the first of two Authorization headers, and two must answer 401. */
function headerOf(rawHeaders: readonly string[], anyCase: string): string | null {
  const name = anyCase.toLowerCase()
  let value: string | null = null
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== name) continue
    const line = rawHeaders[index + 1] ?? ''
    value = value === null ? line : `${value}, ${line}`
  }
  return value
}

/**
 * A body parser that ran before has consumed the stream and stored its result. The iterator must not destroy the request: in the
 * middle of a body, that would block the connection without closing it.
 */
function bodyOf(request: IncomingMessage & { readonly body?: unknown }): AsyncIterable<Uint8Array> {
  const { body } = request
  if (!request.readableEnded || body === undefined) return request.iterator({ destroyOnReturn: false })
  return textOf(body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body))
}

async function* textOf(body: Uint8Array | string): AsyncGenerator<Uint8Array> {
  yield typeof body === 'string' ? new TextEncoder().encode(body) : body
}

/** Created on demand, because most calls do not use it. */
function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const abort = (): void => {
    if (!response.writableFinished) controller.abort()
  }
  if (response.closed) abort()
  else response.once('close', abort)
  return controller.signal
}
