import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { UmaAuthVasp } from 'uma-auth-vasp'
import { toNodeHandler } from 'uma-auth-vasp/node-http'
import { processStore } from '../once'
import { DRAINING } from '../readiness'
import type { Settings } from '../settings'
import { startError } from '../start-error'
import type { Deps } from '../deps'
import { makeUmaServer } from '../uma/server'
import { answerPeer } from '../lightning/sandbox/answer-peer'
import { isApiPath, isNodePath, isUmaPath, parsedPath } from './paths'
import { BASE_HEADERS, addBaseHeaders } from './base-headers'
import { refuseAtTheDoor, type Refusal, makeOverloadGate } from './door'
import { PAGE_HEADERS, errorPage, wantsPage } from './error-page'
import { makeGracefulShutdown } from './graceful-shutdown'
import { makeSignInGate } from './sign-in-gate'

/** What answering takes beside the API. */
type FrontPorts = Pick<
  Deps,
  'settings' | 'node' | 'sandboxNode' | 'db' | 'clock' | 'ids' | 'log' | 'rates' | 'uma' | 'limits' | 'describeFailure'
>

export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** What `server.js` gets from the started process. */
export interface Front {
  /** Listens on every configured address; `toNext` answers whatever is neither the API nor the node. */
  listen(toNext: Listener): Promise<void>
  /** Ends the process after `DRAIN_SECONDS` and the open requests. A second signal ends it at once. */
  shutDown(): void
}

/** Time limits of a connection, in milliseconds. */
export const CONNECTION_LIMITS = {
  headersTimeout: 10_000,
  /** For receiving a request; an answer may take longer. */
  requestTimeout: 30_000,
  /** Longer than a proxy keeps a connection that is idle: it would send the next call on one that is closed at that moment. */
  keepAliveTimeout: 75_000,
  /** How often node looks for requests that are late; its own 30 s would let a slow sender stay three times as long. */
  connectionsCheckingInterval: 5_000,
}
const LARGEST_HEADERS_BYTES = 16 * 1024
/** Payments under way get 30 s to end, and the database a little to close. */
const SHUTDOWN_MS = 35_000
/** A terminal's Ctrl-C reaches a process twice, directly and through its parent: that is one signal. */
const SAME_SIGNAL_MS = 1_000
/** For the rest of a request that is refused already; a sender within reach needs a part of it. */
const LINGER_MS = 1_000
/** Connections that wait to be accepted: one that finds no room is tried again by its caller's system a second later, or three. */
const MOST_WAITING_CONNECTIONS = 4_096

/** The form stays in the browser: going back and sending it again is all there is to do. */
const TOO_MANY_SIGN_INS: Refusal = {
  status: 503,
  text: 'Many people are signing in at this moment. Go back and try again in a few seconds.',
  headers: { 'Retry-After': '5' },
}

/**
 * What answers a request of a production process: the API and the Lightning node straight on node:http, because a gateway
 * and a payer wait for them, and Next the rest.
 */
export function makeListener(deps: FrontPorts, vasp: UmaAuthVasp): (toNext: Listener) => Listener {
  const { settings } = deps
  const uma = makeUmaServer(deps)
  const signIns = makeSignInGate()
  const overload = makeOverloadGate(deps.limits, deps.log)
  // Its errors have a body of their own, and it is not counted with the calls.
  const exchange = `${settings.apiBasePath}/token`
  const toApi = toNodeHandler(vasp, { headers: BASE_HEADERS })
  const toNode = getRequestListener((request) => answerPeer(deps.sandboxNode, request), {
    overrideGlobalObjects: false,
  })
  const toUma = getRequestListener(
    (request, { incoming }) => uma(request, { remoteAddress: incoming.socket.remoteAddress }),
    { overrideGlobalObjects: false },
  )

  return (toNext) => (request, response) => {
    const url = request.url ?? ''
    const isApi = isApiPath(url)
    const isExchange = isApi && parsedPath(url) === exchange
    const [isNode, isUma] = isApi ? [false, false] : [isNodePath(url), isUmaPath(url)]
    const refusal = refuseAtTheDoor(request, settings)
    if (refusal !== undefined)
      return sendRefusal(
        request,
        response,
        refusal,
        isUma ? 'uma' : isExchange ? 'exchange' : isApi || isNode ? 'api' : settings,
      )
    if (isApi) return !isExchange && overload.turnsAway(response) ? undefined : toApi(request, response)
    addBaseHeaders(response)
    if (!signIns.admits(request, response)) return sendRefusal(request, response, TOO_MANY_SIGN_INS, settings)
    if (isUma) return toUma(request, response)
    return isNode ? toNode(request, response) : toNext(request, response)
  }
}

/** The one node:http server of a production process. `limits`: shorter time limits, for tests. */
export function makeFront(deps: Deps, vasp: UmaAuthVasp, limits = CONNECTION_LIMITS): Front {
  const { settings, log } = deps
  const closings: (() => Promise<void>)[] = []
  const listener = makeListener(deps, vasp)
  let stopRequestedAtMs: number | undefined

  async function drain(): Promise<void> {
    if (settings.drainSeconds === 0) return
    processStore().set(DRAINING, true)
    log.info({ seconds: settings.drainSeconds }, 'draining: /-/ready answers 503')
    await sleep(settings.drainSeconds * 1_000)
  }

  async function end(): Promise<void> {
    await drain()
    log.info('stopping')
    setTimeout(() => {
      log.error('stopping takes too long: payments in progress are left to the next start')
      process.exit(1)
    }, SHUTDOWN_MS).unref()
    // Requests that wait for a payment get their answer when it ends, or when it is left to the next start.
    await Promise.all([deps.paymentWorker.stop(), deps.uma?.callbacks.stop(), ...closings.map((close) => close())])
    await deps.node.close()
    await deps.db.close()
    process.exit(0)
  }

  return {
    async listen(toNext) {
      for (const host of hostsOf(settings)) {
        const close = await listenOn(host, settings.port, listener(toNext), limits)
        if (close !== undefined) closings.push(close)
      }
      log.info({ url: settings.publicOrigin, api: `${settings.publicOrigin}${settings.apiBasePath}` }, 'listening')
    },
    shutDown() {
      const nowMs = performance.now()
      if (stopRequestedAtMs === undefined) {
        stopRequestedAtMs = nowMs
        end().catch((error: unknown) => {
          log.error({ error }, 'stopping failed: payments in progress are left to the next start')
          process.exit(1)
        })
      } else if (nowMs - stopRequestedAtMs > SAME_SIGNAL_MS) {
        log.warn('stopping at once: payments in progress are left to the next start')
        process.exit(1)
      }
    },
  }
}

/** A sandbox listens on both loopbacks, because `localhost` may mean either; elsewhere only when told to. */
function hostsOf({ host, sandboxTools }: Pick<Settings, 'host' | 'sandboxTools'>): string[] {
  if (host !== undefined) return [host]
  return sandboxTools ? ['127.0.0.1', '::1'] : ['::']
}

/**
 * Opens the configured port and closes it again, before a start touches the database.
 * @throws StartError when the port is in use or cannot be opened.
 */
export async function requireFreePort(settings: Pick<Settings, 'host' | 'sandboxTools' | 'port'>): Promise<void> {
  for (const host of hostsOf(settings)) {
    const close = await listenOn(host, settings.port, ({ socket }) => socket.destroy())
    await close?.()
  }
}

/** What ends the listening. */
function listenOn(
  host: string,
  port: number,
  listener: Listener,
  limits = CONNECTION_LIMITS,
): Promise<(() => Promise<void>) | undefined> {
  const server = createServer(
    { ...limits, maxHeaderSize: LARGEST_HEADERS_BYTES },
    (request, response) => void listener(request, response),
  )
  const close = makeGracefulShutdown(server)
  // Nothing here speaks WebSocket. Node leaves such a connection to us, errors and all, and open for as long as its other side likes.
  server.on('upgrade', ({ socket }) => {
    socket.on('error', () => undefined)
    socket.write('HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n')
    socket.destroySoon()
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const lacksIpv6 = error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT'
      // A machine without IPv6 still has the other loopback, and every address of the other kind.
      if (host === '::1' && lacksIpv6) return resolve(undefined)
      if (host === '::' && lacksIpv6) return resolve(listenOn('0.0.0.0', port, listener, limits))
      return reject(cannotListen(host, port, error))
    })
    server.listen(port, host, MOST_WAITING_CONNECTIONS, () => resolve(close))
  })
}

function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EADDRINUSE')
    return startError(`PORT ${port} is in use on ${host}: stop the other program or set another PORT.`, error)
  if (error.code === 'EACCES')
    return startError(`PORT ${port} may not be opened by this user: set a PORT above 1023.`, error)
  return startError(
    `HOST cannot be listened on (${error.code ?? 'unknown'}): use an address of this machine, or leave it out.`,
    error,
  )
}

/** The body of a refusal for each kind of program. A browser gets a page, and any other client the sentence. */
const BODIES = {
  api: (text: string) => JSON.stringify({ code: 'OTHER', message: text }),
  exchange: (text: string) => JSON.stringify({ error: text }),
  uma: (text: string) => JSON.stringify({ status: 'ERROR', reason: text, code: 'INVALID_REQUEST_FORMAT' }),
}

function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  reader: keyof typeof BODIES | Deps['settings'],
): void {
  const { status, text, headers = {} } = refusal
  const { accept, cookie, referer } = request.headers
  const browser = { accept, cookie, referer }
  const isPage = typeof reader === 'object' && wantsPage(browser)
  const body =
    typeof reader === 'string'
      ? BODIES[reader](text)
      : isPage
        ? errorPage(reader, browser, { status, text, retryAfter: headers['Retry-After'] })
        : text
  response.writeHead(status, {
    ...BASE_HEADERS,
    'Content-Length': Buffer.byteLength(body),
    'Content-Type': typeof reader === 'object' ? 'text/plain; charset=utf-8' : 'application/json',
    ...(isPage ? PAGE_HEADERS : {}),
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...headers,
  })
  if (request.complete || response.socket === null) return void response.end(body)
  response.write(body)
  endWhenHeard(request, response)
}

/**
 * A connection that is closed while the other side still sends is reset by the system, and what was answered is lost with
 * it: the rest is taken and thrown away first, for a moment.
 */
function endWhenHeard(request: IncomingMessage, response: ServerResponse): void {
  const end = (): void => {
    clearTimeout(late)
    response.end()
  }
  const late = setTimeout(end, LINGER_MS)
  request.once('end', end).once('error', end).once('close', end).resume()
}
