import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { HttpRequest } from './load-client'

export interface RawAnswer {
  readonly status: number
  /** The `Retry-After` of a refusal: seconds to wait, as text. */
  readonly retryAfter: string | undefined
  readonly text: string
}

/**
 * One HTTP/1.1 connection that is kept open, with one request at a time. It does only what a load needs: on two cores, the
 * server that is measured loses all CPU that the load uses.
 */
export class RawConnection {
  private socket: Socket | undefined
  private received: Buffer = Buffer.alloc(0)
  private waiting: { resolve(answer: RawAnswer): void; reject(error: Error): void } | undefined

  constructor(private readonly port: number) {}

  /** Sends a whole request as text. Opens a new connection when the last one was closed. */
  ask(request: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject }
      this.socket ??= this.open()
      this.socket.write(request, 'latin1')
    })
  }

  /** Connects without sending a request. */
  async connect(): Promise<void> {
    this.socket ??= this.open()
    if (this.socket.connecting) await once(this.socket, 'connect')
  }

  close(): void {
    this.socket?.destroy()
    this.socket = undefined
  }

  private open(): Socket {
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true })
    this.received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => this.read(chunk))
    const lost = (error?: Error): void => {
      if (this.socket !== socket) return
      this.socket = undefined
      this.waiting?.reject(error ?? new Error('the connection was closed'))
    }
    socket.on('error', lost)
    socket.on('close', () => lost())
    return socket
  }

  private read(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk])
    const headEnd = this.received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = this.received.toString('latin1', 0, headEnd)
    const body = bodyOf(head, this.received.subarray(headEnd + 4))
    if (body === undefined) return
    this.received = Buffer.alloc(0)
    if (/\r\nconnection: close/i.test(head)) this.close()
    const waiting = this.waiting
    this.waiting = undefined
    waiting?.resolve({
      status: Number(head.slice(9, 12)),
      retryAfter: /\r\nretry-after: (\S+)/i.exec(head)?.[1],
      text: body,
    })
  }
}

/** The whole body, or undefined while some of it is missing. */
function bodyOf(head: string, rest: Buffer): string | undefined {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return rest.length < Number(length) ? undefined : rest.toString('utf8', 0, Number(length))
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return ''
  let text = ''
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16)
    const from = lineEnd + 2
    if (rest.length < from + size + 2) return undefined
    if (size === 0) return text
    text += rest.toString('utf8', from, from + size)
    at = from + size + 2
  }
}

/** A request as it is sent over the connection. */
export function rawRequest({ method, path, headers, body }: HttpRequest, port: number): string {
  return [
    `${method} ${path} HTTP/1.1`,
    `Host: localhost:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body ?? '',
  ].join('\r\n')
}
