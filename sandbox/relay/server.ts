import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import { listenOn } from '../shared/listen'
import { makeRoundRobin, type RoundRobin } from '../shared/round-robin'
import { Client, Hub, LIMITS } from './hub'
import { ABOUT, PAGE } from './page'

const MAX_CLIENTS = 200
/** Of these, pages of other sites: any site that the developer visits can connect, and must not take every place. */
const MAX_FOREIGN_PAGES = 50
/** A client that does not read its events is disconnected before it fills the relay's memory. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024
/**
 * A message above the relay's limit is read, so that its sender receives an answer. A message above this limit ends
 * the connection.
 */
const MAX_BYTES = 4 * LIMITS.messageBytes
const PING_MS = 30_000
/** Queued messages of one client. Each client has a queue, served in turn, because verifying a signature takes milliseconds. */
const MAX_QUEUED = 64

export interface RunningRelay {
  readonly port: number
  readonly url: string
  readonly hub: Hub
  readonly close: () => Promise<void>
}

/** Starts the relay. Port 0 selects a free port. @throws as `listenOn`. */
export async function startRelay(
  port: number,
  hub = new Hub(() => Math.floor(Date.now() / 1000)),
): Promise<RunningRelay> {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BYTES, clientTracking: true })
  const servers = await listenOn(() => serverOf(sockets), port, 'RELAY_PORT')
  const ownPort = (servers[0]?.address() as AddressInfo | undefined)?.port ?? port
  const roundRobin = makeRoundRobin<Client>({ maxConcurrent: 1, maxQueued: Number.POSITIVE_INFINITY })
  const foreign = new Set<WebSocket>()
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    if (isForeignPage(request)) {
      foreign.add(socket)
      socket.on('close', () => foreign.delete(socket))
    }
    const hasPlace = sockets.clients.size <= MAX_CLIENTS && foreign.size <= MAX_FOREIGN_PAGES
    return serve(socket, hub, roundRobin, hasPlace)
  })
  const pings = setInterval(() => sockets.clients.forEach((socket) => socket.ping()), PING_MS)
  return {
    port: ownPort,
    url: `ws://localhost:${ownPort}`,
    hub,
    async close() {
      clearInterval(pings)
      for (const socket of sockets.clients) socket.terminate()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

function serve(socket: WebSocket, hub: Hub, roundRobin: RoundRobin<Client>, hasPlace: boolean): void {
  // A message beyond MAX_BYTES or a broken frame arrives here; ws then closes the socket itself.
  socket.on('error', () => undefined)
  if (!hasPlace) return socket.close(1013, 'too many clients')
  const client = new Client((text) => {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > MAX_UNSENT_BYTES) return socket.terminate()
    socket.send(text)
  })
  hub.join(client)
  socket.on('close', () => hub.leave(client))
  const receive = (data: RawData): void => {
    if (socket.readyState !== socket.OPEN) return
    if (socket.isPaused && roundRobin.waitingOf(client) < MAX_QUEUED / 2) socket.resume()
    try {
      hub.receive(client, (data as Buffer).toString('utf8'))
    } catch (error) {
      console.error(error)
      client.send('NOTICE', 'error: the relay could not handle this message')
    }
  }
  socket.on('message', (data: RawData, isBinary) => {
    if (isBinary) return client.send('NOTICE', 'invalid: messages are text')
    roundRobin.add(client, () => receive(data))
    // Further messages stay in the socket's buffers until the queue is shorter.
    if (roundRobin.waitingOf(client) >= MAX_QUEUED || (data as Buffer).length > LIMITS.messageBytes) socket.pause()
  })
}

/** A browser names the page's site in `Origin`; programs send none. Pages of this machine are an app in development. */
function isForeignPage({ headers: { origin } }: IncomingMessage): boolean {
  return origin !== undefined && !(URL.canParse(origin) && isOwnMachine(new URL(origin).hostname))
}

function isOwnMachine(hostname: string): boolean {
  return /^(127\.0\.0\.1|\[::1\]|([a-z0-9-]{1,63}\.){0,9}localhost)$/.test(hostname)
}

function serverOf(sockets: WebSocketServer): Server {
  const server = createServer(answer)
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => undefined)
    sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client, request))
  })
  return server
}

/** NIP-11: relays accept cross-origin requests for their document, which needs no secret. */
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '/').split('?', 1)[0]
  const send = (status: number, type: string, body: string, more: Record<string, string> = {}): void => {
    response.writeHead(status, { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff', ...more })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
  if (request.method === 'OPTIONS') {
    response.writeHead(204, { ...CORS, Allow: 'GET, HEAD, OPTIONS' })
    return void response.end()
  }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return send(405, 'text/plain; charset=utf-8', 'Only GET, and WebSocket.', { Allow: 'GET, HEAD, OPTIONS', ...CORS })
  if (path === '/-/alive') return send(200, 'text/plain; charset=utf-8', 'ok')
  if (path !== '/') return send(404, 'text/plain; charset=utf-8', 'Page not found. Check the address.')
  if (request.headers.accept?.toLowerCase().includes('application/nostr+json') === true)
    return send(200, 'application/nostr+json', JSON.stringify(ABOUT), { ...CORS, Vary: 'Accept' })
  return send(200, 'text/html; charset=utf-8', PAGE, {
    ...CORS,
    Vary: 'Accept',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  })
}
