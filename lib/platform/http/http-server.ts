import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import type { UmaAuthVasp } from 'uma-auth-vasp'
import { toNodeHandler, type NodeHandler } from 'uma-auth-vasp/node-http'
import { buildInfo } from '../build-info'
import type { Settings } from '../config'
import { isLocalSandbox } from '../local-sandbox'
import type { Log } from '../log'
import { processSingletons } from '../process-singletons'
import { DRAINING } from '../readiness'
import { cannotListen } from '../start-error'
import { traced } from '../trace'
import { addBaseHeaders, BASE_HEADERS } from './base-headers'
import { documentPathOf, sendDocument, type AnswerDocument } from './documents'
import { makeGracefulShutdown } from './graceful-shutdown'
import { healthPathOf, type AnswerHealth } from './health'
import { makeLoginAdmission } from './login-admission'
import { CLIENT_ADDRESS_HEADER, clientAddress } from './networks'
import { makeLoadShedding, type RateLimits } from './rate-limits'
import {
  isApiPath,
  isForOperator,
  isNodePath,
  isUmaPath,
  parsedPath,
  rejectMalformed,
  type Rejection,
} from './request-validation'
import { sendRejection, type RejectionPage } from './send-rejection'

/** Why a request was rejected: malformed, too many requests in progress, a rate limit, or no permission. */
export type RejectionReason = 'malformed' | 'load' | 'limit' | 'auth'

/** An answer outside the API. */
export interface Answered {
  /**
   * Of UMA and Lightning messages, only rejections are counted from the answer: events count the rest. So of `operator`, the
   * operator's commands. Health polls are not counted: a poll is no visit, and its 503 tells a proxy what to do.
   */
  readonly kind: 'message' | 'operator' | 'page'
  readonly method: string | undefined
  readonly status: number
  /** From the request to the end of its answer. Undefined for an event stream, which lasts as long as its page is open. */
  readonly ms: number | undefined
}

interface RequestPorts {
  readonly settings: Settings
  readonly log: Log
  readonly limits: RateLimits
  /** Counts the requests that are rejected here, for the metrics. */
  readonly countRejection?: ((reason: RejectionReason) => void) | undefined
  /** Counts the answers outside the API, for the metrics. */
  readonly countAnswer?: ((answered: Answered) => void) | undefined
}

/** Parts that are closed before the process ends. */
interface ShutdownPorts {
  readonly paymentWorker: { stop(): Promise<void> }
  readonly uma: { readonly callbacks: { stop(): Promise<void> } } | undefined
  readonly node: { close(): Promise<void> }
  readonly events: { close(): Promise<void> }
  readonly eventFeed: { close(): void }
  readonly faults: { close(): void } | undefined
  readonly db: { close(): Promise<void> }
}

/** Handlers that answer requests instead of Next. */
export interface Handlers {
  readonly vasp: UmaAuthVasp
  /** Replaces the VASP's own handler for `node:http`. */
  readonly api?: NodeHandler | undefined
  readonly lightning: (request: Request) => Promise<Response>
  readonly uma: (request: Request, peer: { readonly remoteAddress?: string | undefined }) => Promise<Response>
  readonly health: AnswerHealth
  readonly document: AnswerDocument
  readonly rejectionPage: RejectionPage
}

export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** The interface that the started process gives `server.js`. */
export interface HttpServer {
  /** Listens on every configured address. `toNext` answers requests that are not for the API, the Lightning node or UMA. */
  listen(toNext: Listener): Promise<void>
  /**
   * Waits for `DRAIN_SECONDS`, then ends the process when the open requests have ended. A second call, more than a
   * second after the first, ends the process at once.
   */
  shutDown(): void
}

/** Time limits of a connection, in milliseconds. */
export const CONNECTION_LIMITS = {
  headersTimeout: 10_000,
  /** For receiving a request. Answering may take longer. */
  requestTimeout: 30_000,
  /** Longer than a proxy keeps an idle connection, so that no proxy sends a request on a connection that is closing. */
  keepAliveTimeout: 75_000,
  /**
   * How often Node looks for late requests. With Node's default of 30 s, a client that sends its headers slowly could stay connected
   * for 40 s instead of 15 s.
   */
  connectionsCheckingInterval: 5_000,
}
const MAX_HEADERS_BYTES = 16 * 1024
const EVENTS_PATH = '/events'
/** Payments in progress get 30 s. The rest is for closing the database. */
const SHUTDOWN_MS = 35_000
/** Ctrl-C in a terminal reaches the process twice: directly and through its parent. */
const SAME_SIGNAL_MS = 1_000
/** Beyond this backlog, the client's system repeats its connection attempt after one second, then after three. */
const LISTEN_BACKLOG = 4_096

/** The browser's Back button keeps the filled-in form. */
const TOO_MANY_SIGN_INS: Rejection = {
  status: 503,
  text: 'Too many users are signing in right now. Go back and try again in a few seconds.',
  headers: { 'Retry-After': '5' },
}

/**
 * The request listener of a production process. The API, its documents, the Lightning node, UMA and health checks are answered on
 * node:http directly, because Next would make each call several times slower. Next answers the rest.
 */
export function makeListener(
  { settings, log, limits, countRejection, countAnswer }: RequestPorts,
  { vasp, api, lightning, uma, health, document, rejectionPage }: Handlers,
): (toNext: Listener) => Listener {
  const loginAdmission = makeLoginAdmission()
  const loadShedding = makeLoadShedding(limits, log)
  // The token exchange has its own error body, and does not count as an API call.
  const exchange = `${settings.apiBasePath}/token`
  const toApi = traced(api ?? toNodeHandler(vasp, { headers: BASE_HEADERS }))
  const toNode = traced(getRequestListener(lightning, { overrideGlobalObjects: false }))
  const toUma = traced(
    getRequestListener((request, { incoming }) => uma(request, { remoteAddress: incoming.socket.remoteAddress }), {
      overrideGlobalObjects: false,
    }),
  )

  return (toNext) => (request, response) => {
    const url = request.url ?? ''
    const isApi = isApiPath(url)
    const isExchange = isApi && parsedPath(url) === exchange
    const [isNode, isUma] = isApi ? [false, false] : [isNodePath(url), isUmaPath(url)]
    const rejection = rejectMalformed(request, settings)
    if (rejection !== undefined) {
      countRejection?.('malformed')
      const reader = isUma ? 'uma' : isExchange ? 'exchange' : isApi || isNode ? 'api' : rejectionPage
      return sendRejection(request, response, rejection, reader)
    }
    if (isApi) {
      if (isExchange || !loadShedding.shed(response)) return toApi(request, response)
      return countRejection?.('load')
    }
    const healthPath = healthPathOf(url)
    if (healthPath !== undefined) return health(healthPath, request, response)
    addBaseHeaders(response)
    if (!loginAdmission.admits(request, response)) {
      countRejection?.('load')
      return sendRejection(request, response, TOO_MANY_SIGN_INS, rejectionPage)
    }
    if (countAnswer !== undefined) {
      const kind = isUma || isNode ? 'message' : isForOperator(url) ? 'operator' : 'page'
      const startedAtMs = performance.now()
      response.once('finish', () => {
        const ms = parsedPath(url) === EVENTS_PATH ? undefined : performance.now() - startedAtMs
        countAnswer({ kind, method: request.method, status: response.statusCode, ms })
      })
    }
    const documentPath = documentPathOf(url)
    if (documentPath !== undefined) return sendDocument(document, documentPath, request, response)
    if (isUma) return toUma(request, response)
    if (isNode) return toNode(request, response)
    const forwardedFor = request.headers['x-forwarded-for']?.toString() ?? null
    request.headers[CLIENT_ADDRESS_HEADER] = clientAddress(
      request.socket.remoteAddress ?? '',
      forwardedFor,
      settings.trustedProxies,
    )
    // With it, Next answers `{}` in place of a page. Only the router of `pages`, which is not used here, sends it.
    delete request.headers['x-middleware-prefetch']
    return traced(toNext)(request, response)
  }
}

/** The HTTP server of a production process. `limits`: shorter time limits, for tests. */
export function makeHttpServer(
  app: RequestPorts & ShutdownPorts,
  handlers: Handlers,
  limits = CONNECTION_LIMITS,
): HttpServer {
  const { settings, log } = app
  const closings: (() => Promise<void>)[] = []
  const listener = makeListener(app, handlers)
  let stopRequestedAtMs: number | undefined

  async function drain(): Promise<void> {
    processSingletons().set(DRAINING, true)
    if (settings.drainSeconds === 0) return
    log.info({ seconds: settings.drainSeconds }, 'draining: /-/ready answers 503')
    await sleep(settings.drainSeconds * 1_000)
  }

  async function end(): Promise<void> {
    await drain()
    log.info('stopping')
    setTimeout(() => {
      log.error('stopping is taking too long: the next start continues the payments in progress')
      process.exit(1)
    }, SHUTDOWN_MS).unref()
    // Event streams would keep their connections open.
    app.eventFeed.close()
    app.faults?.close()
    // Requests that wait for a payment are answered when it ends or when the worker stops.
    await Promise.all([app.paymentWorker.stop(), app.uma?.callbacks.stop(), ...closings.map((close) => close())])
    await app.node.close()
    await app.events.close()
    await app.db.close()
    process.exit(0)
  }

  return {
    async listen(toNext) {
      for (const host of hostsOf(settings)) {
        const close = await listenOn(host, settings.port, listener(toNext), limits)
        if (close !== undefined) closings.push(close)
      }
      const { publicOrigin: url, apiBasePath } = settings
      log.info({ url, api: `${url}${apiBasePath}`, ...buildInfo() }, 'listening')
    },
    shutDown() {
      const nowMs = performance.now()
      if (stopRequestedAtMs === undefined) {
        stopRequestedAtMs = nowMs
        end().catch((error: unknown) => {
          log.error({ error }, 'stopping failed: the next start continues the payments in progress')
          process.exit(1)
        })
      } else if (nowMs - stopRequestedAtMs > SAME_SIGNAL_MS) {
        log.warn('stopping at once: the next start continues the payments in progress')
        process.exit(1)
      }
    },
  }
}

type ListenSettings = Pick<Settings, 'host' | 'sandboxTools' | 'teamPassword'>

/** A sandbox for one machine listens on both loopback addresses, because `localhost` may resolve to either. */
function hostsOf(settings: ListenSettings): string[] {
  const { host } = settings
  if (host !== undefined) return [host]
  return isLocalSandbox(settings) ? ['127.0.0.1', '::1'] : ['::']
}

/**
 * Opens the configured port and closes it again, before startup touches the database.
 * @throws StartError when the port is in use or cannot be opened.
 */
export async function requireFreePort(settings: ListenSettings & Pick<Settings, 'port'>): Promise<void> {
  for (const host of hostsOf(settings)) {
    const close = await listenOn(host, settings.port, ({ socket }) => socket.destroy())
    await close?.()
  }
}

/** Resolves with the function that closes the server; undefined on a machine without this address family. */
function listenOn(
  host: string,
  port: number,
  listener: Listener,
  limits = CONNECTION_LIMITS,
): Promise<(() => Promise<void>) | undefined> {
  const server = createServer(
    { ...limits, maxHeaderSize: MAX_HEADERS_BYTES },
    (request, response) => void listener(request, response),
  )
  const close = makeGracefulShutdown(server)
  // No endpoint supports upgrades. Node leaves the connection of an upgrade request open, with its errors unhandled.
  server.on('upgrade', ({ socket }) => {
    socket.on('error', () => undefined)
    socket.write('HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n')
    socket.destroySoon()
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const lacksIpv6 = error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT'
      // On a machine without IPv6 the server listens on IPv4 alone.
      if (host === '::1' && lacksIpv6) return resolve(undefined)
      if (host === '::' && lacksIpv6) return resolve(listenOn('0.0.0.0', port, listener, limits))
      return reject(cannotListen(host, port, error))
    })
    server.listen(port, host, LISTEN_BACKLOG, () => resolve(close))
  })
}
