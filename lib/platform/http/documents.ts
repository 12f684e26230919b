import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { ApiRequest } from 'uma-auth-vasp'

export const DISCOVERY_PATH = '/.well-known/uma-configuration'
export const OPENAPI_PATH = '/openapi.json'
export type DocumentPath = typeof DISCOVERY_PATH | typeof OPENAPI_PATH

/** The document in a request line, with or without a query. */
export function documentPathOf(url: string): DocumentPath | undefined {
  const [path] = url.split('?', 1)
  return path === DISCOVERY_PATH || path === OPENAPI_PATH ? path : undefined
}

export interface DocumentAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** Answers GET, HEAD and OPTIONS for a document that pages of any origin may read. */
export type AnswerDocument = (path: DocumentPath, request: ApiRequest) => Promise<DocumentAnswer>

const PUBLIC = { 'Access-Control-Allow-Origin': '*', 'X-Content-Type-Options': 'nosniff' }
const PREFLIGHT = {
  ...PUBLIC,
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': '*',
}

/** Serves one JSON text, compressed once. A client that has this version receives 304. */
export function makeTextDocument(text: string): (request: Pick<ApiRequest, 'method' | 'headers'>) => DocumentAnswer {
  const compressed = new Uint8Array(gzipSync(text))
  // Weak, because the compressed answer has the same tag.
  const tag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  // A cache asks each time, and a new release is seen at once.
  const headers = { ...PUBLIC, 'Cache-Control': 'no-cache', ETag: tag, Vary: 'Accept-Encoding' }
  return ({ method, headers: asked }) => {
    if (method === 'OPTIONS') return { status: 204, headers: PREFLIGHT, body: '' }
    if (isKnown(tag, asked.get('if-none-match'))) return { status: 304, headers, body: '' }
    const json = { ...headers, 'Content-Type': 'application/json' }
    return takesGzip(asked.get('accept-encoding'))
      ? { status: 200, headers: { ...json, 'Content-Encoding': 'gzip' }, body: compressed }
      : { status: 200, headers: json, body: text }
  }
}

/** RFC 9110, 13.1.2: the weak comparison, with a list or `*`. */
function isKnown(tag: string, ifNoneMatch: string | null): boolean {
  const opaque = tag.slice('W/'.length)
  return itemsOf(ifNoneMatch).some((item) => item === '*' || item === opaque || item === tag)
}

/** RFC 9110, 12.5.3. `q=0` refuses an encoding. */
function takesGzip(acceptEncoding: string | null): boolean {
  return itemsOf(acceptEncoding).some((item) => {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    return name === 'gzip' && parameters.every((each) => !each.startsWith('q=') || Number(each.slice(2)) > 0)
  })
}

function itemsOf(header: string | null): string[] {
  return header === null ? [] : header.split(',').map((item) => item.trim())
}

/** Answers on node:http. */
export async function sendDocument(
  answerDocument: AnswerDocument,
  path: DocumentPath,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET' } = request
  const headers = { get: (name: string) => request.headers[name]?.toString() ?? null }
  const answer = await answerDocument(path, { method, url: path, headers, body: null })
  const length = answer.status === 200 ? { 'Content-Length': Buffer.byteLength(answer.body) } : {}
  response.writeHead(answer.status, { ...answer.headers, ...length })
  // Node sends no body in answer to HEAD.
  response.end(answer.body)
}

/** The same answer for `next dev` and `next start`, where no server of ours runs in front of Next. Next compresses it. */
export async function documentResponse(
  answerDocument: AnswerDocument,
  path: DocumentPath,
  { method, headers }: Request,
): Promise<Response> {
  const plain = { get: (name: string) => (name === 'accept-encoding' ? null : headers.get(name)) }
  const {
    status,
    headers: answered,
    body,
  } = await answerDocument(path, { method, url: path, headers: plain, body: null })
  return new Response(body.length === 0 ? null : body, { status, headers: answered })
}
