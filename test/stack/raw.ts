import { once } from 'node:events'
import { connect } from 'node:net'

const PATIENCE_MS = 20_000

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}

/** Sends raw bytes and reads until the server closes the connection. fetch would correct the bytes. */
export async function raw(origin: string, text: string): Promise<RawAnswer> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString()))
  socket.on('error', () => undefined)
  socket.write(text)
  await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))])
  socket.destroy()
  const [head = '', ...body] = answer.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map(
    (line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.replace(/^[^:]*: ?/, '')] as const,
  )
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]),
    headers: new Map(headers),
    text: body.join('\r\n\r\n'),
  }
}

/** A request with the server's own Host header and any further lines. */
export function request(
  origin: string,
  method: string,
  path: string,
  lines: readonly string[] = [],
): Promise<RawAnswer> {
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${new URL(origin).host}`, 'Connection: close', ...lines]
  return raw(origin, `${head.join('\r\n')}\r\n\r\n`)
}
