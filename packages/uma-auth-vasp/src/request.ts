import type { Call } from './call.ts'
import { COMMANDS, type Command } from './commands.ts'
import { HttpError, invalidInput } from './errors.ts'

/**
 * The parts of a request that the API reads. Web and `node:http` requests both have them. Creating web
 * objects for each call costs a third of the time of the cheapest call.
 */
export interface ApiRequest {
  readonly method: string
  /** Absolute, or path and query. The host is ignored. */
  readonly url: string
  /** Repeated headers are joined by a comma. */
  readonly headers: { get(name: string): string | null }
  readonly body: AsyncIterable<Uint8Array> | null
  /** IP address of the client, where the server knows it. */
  readonly remoteAddress?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON */
  readonly text: string
}

/** The largest body of a request. */
const MAX_BODY_BYTES = 64 * 1024

/** Path and query as they were sent. Nothing is normalized: a path with dot segments matches no endpoint. */
export function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const relative = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')
  const end = relative.indexOf('?')
  return end < 0 ? { path: relative, query: '' } : { path: relative.slice(0, end), query: relative.slice(end + 1) }
}

/** The meaning of a path below the API base. */
export type Match =
  | { readonly kind: 'command'; readonly command: Command; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'exchange' }
  | { readonly kind: 'other-method'; readonly allow: string }
  | { readonly kind: 'unknown' }

const TEMPLATES = COMMANDS.map((command) => ({ command, segments: command.path.slice(1).split('/') }))

/**
 * Finds the endpoint of a path. Paths match exactly, as they were sent: case counts, and a trailing or doubled slash or an escape in a
 * fixed segment matches nothing. A fixed segment wins over a variable one, so `/quote/lud16` is always the quote request.
 */
export function matchPath(method: string, path: string): Match {
  if (path === '/token') return method === 'POST' ? { kind: 'exchange' } : { kind: 'other-method', allow: 'POST' }
  const fixed = TEMPLATES.filter(({ command }) => command.path === path)
  const sent = path.slice(1).split('/')
  const segments = sent.map(decodeSegment)
  const found = fixed.length > 0 ? fixed : TEMPLATES.filter((template) => fits(template.segments, sent, segments))
  const chosen = found.find(({ command }) => command.method === method)
  if (chosen !== undefined)
    return { kind: 'command', command: chosen.command, params: paramsOf(chosen.segments, segments) }
  if (found.length === 0) return { kind: 'unknown' }
  return { kind: 'other-method', allow: [...new Set(found.map(({ command }) => command.method))].join(', ') }
}

type Segment = string | undefined

function decodeSegment(segment: string): Segment {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** Fixed segments are compared as they were sent: a rule of a proxy for `/payments/` would not see `/%70ayments/`. */
function fits(template: readonly string[], sent: readonly string[], decoded: readonly Segment[]): boolean {
  if (template.length !== sent.length) return false
  return template.every((part, index) =>
    part.startsWith('{') ? decoded[index] !== undefined && decoded[index] !== '' : part === sent[index],
  )
}

function paramsOf(template: readonly string[], segments: readonly Segment[]): Record<string, string> {
  return Object.fromEntries(
    template.flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), segments[index] ?? '']] : [])),
  )
}

/**
 * Reads the body and counts its bytes, so that a large one is refused early and never held in memory.
 * @throws HttpError 413 past 64 kB, whatever Content-Length states; WalletError OTHER when the client stops sending.
 */
export async function readText({ headers, body }: Pick<ApiRequest, 'headers' | 'body'>): Promise<string> {
  if (Number(headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  if (body === null) return ''
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const decode = (...chunk: Parameters<TextDecoder['decode']>): string => {
    try {
      return decoder.decode(...chunk)
    } catch (error) {
      throw invalidInput('The request body is not UTF-8.', error)
    }
  }
  let [text, size] = ['', 0]
  const chunks = body[Symbol.asyncIterator]()
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => {
      throw invalidInput('The request body ended before it was complete.', error)
    })
    if (next.done === true) return text + decode()
    size += next.value.byteLength
    if (size > MAX_BODY_BYTES) {
      await chunks.return?.()
      throw tooLarge()
    }
    text += decode(next.value, { stream: true })
  }
}

/**
 * The members of an object, or the parameters of a query, that are set. Clients in other languages write `null` or an empty text
 * for a member that they leave out, so both count as absent: an optional member keeps its default, and a required one is missing.
 * Zero, `false` and empty lists are values. Members of members, and values that are no objects, are unchanged.
 */
export function withoutUnset<Value>(value: Value): Value | Partial<Value> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const set = Object.entries(value).filter(([, member]) => member !== null && member !== '')
  return Object.fromEntries(set) as Partial<Value>
}

/** Reads the body, and keeps it for `observe`. @throws as `readText`. */
export async function readBody(request: ApiRequest, call: Pick<Call, 'requestText'>): Promise<string> {
  call.requestText = await readText(request)
  return call.requestText
}

function tooLarge(): HttpError {
  return new HttpError(413, `The request body is larger than ${MAX_BODY_BYTES / 1024} kB.`)
}

/** The path as the table of commands has it: a closed set, for logs and traces. */
export function routeOf(match: Match, isExchange: boolean): string {
  if (match.kind === 'command') return `${match.command.method} ${match.command.path}`
  return isExchange ? 'POST /token' : 'unknown'
}
