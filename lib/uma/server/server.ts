import { isVaspError, type VaspError } from '../../platform/errors'
import { clientAddress } from '../../platform/http/networks'
import { faultBody, isUmaFault, umaFault, type UmaFault } from '../fault'
import { keyDocument } from '../keys/key-document'
import type { MessageOwner, TravelRule } from '../message-events'
import type { UmaPorts } from '../types'
import { answerCallback } from './answer-callback'
import { answerLnurlp } from './answer-lnurlp'
import { answerPay } from './answer-pay'
import { answerVerify } from './answer-verify'
import type { Call, Peer, ServerPorts, UmaInvoiceAnswers } from './types'

/** `uma` is undefined when this VASP has no UMA keys. */
type Given = UmaPorts & Pick<ServerPorts, 'umaInvoices'> & { readonly describeFailure: (error: unknown) => VaspError }

interface Route {
  readonly path: RegExp
  readonly methods: readonly string[]
  /** The name of the event that records such a message. */
  readonly name: string
  answer(ports: ServerPorts, call: Call): Promise<unknown>
}

const ROUTES: readonly Route[] = [
  {
    path: /^\/\.well-known\/lnurlp\/([^/]+)$/,
    methods: ['GET'],
    name: 'address lookup received',
    answer: answerLnurlp,
  },
  {
    path: /^\/\.well-known\/lnurlpubkey$/,
    methods: ['GET'],
    name: 'key document answered',
    answer: ({ uma, clock }) => Promise.resolve(keyDocument(uma.keys, uma.certificates, clock.now())),
  },
  { path: /^\/uma\/pay\/([^/]+)$/, methods: ['GET', 'POST'], name: 'pay request received', answer: answerPay },
  { path: /^\/uma\/pay\/([^/]+)\/(?<mark>[^/]+)$/, methods: ['POST'], name: 'pay request received', answer: answerPay },
  { path: /^\/uma\/verify\/([^/]+)$/, methods: ['GET'], name: 'payment status read', answer: answerVerify },
  { path: /^\/uma\/callback\/([^/]+)$/, methods: ['POST'], name: 'UMA callback received', answer: answerCallback },
]

/** The routes of UMA invoices and requests. Without them, their paths are unknown. */
function routesOfInvoices(invoices: UmaInvoiceAnswers): Route[] {
  return [
    {
      path: /^\/uma\/pay\/([^/]+)\/invoice\/(?<umaInvoice>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i,
      methods: ['POST'],
      name: 'pay request received',
      answer: answerPay,
    },
    {
      path: /^\/uma\/request$/,
      methods: ['POST'],
      name: 'payment request message received',
      answer: (...args) => invoices.answerRequest(...args),
    },
  ]
}

/**
 * Answers other VASPs: lookups, pay requests, keys, callbacks and requests, as one function from Request to Response.
 * The production server mounts it on node:http, and Next mounts the same function where `server.js` does not run. Never
 * throws.
 */
export function makeUmaServer(ports: Given): (request: Request, peer?: Peer) => Promise<Response> {
  const { umaInvoices } = ports
  const routes = umaInvoices === undefined ? ROUTES : [...ROUTES, ...routesOfInvoices(umaInvoices)]
  return async (request, peer = {}) => {
    const startedAt = performance.now()
    const path = new URL(request.url).pathname
    let fault: UmaFault | undefined
    let owner: MessageOwner | undefined
    let travelRule: TravelRule | undefined
    const belongsTo: Call['belongsTo'] = (...of) => void ([owner, travelRule] = of)
    const response = await answer(ports, routes, { request, path, peer, belongsTo }).catch((error: unknown) => {
      fault = toFault(ports, error)
      return reply(faultBody(fault), fault.status, fault.headers)
    })
    ports.events.record({
      kind: 'uma_message',
      fromOutside: true,
      name: routes.find((route) => route.path.test(path))?.name ?? 'unknown UMA path',
      ...owner,
      status: response.status,
      durationMs: performance.now() - startedAt,
      failedCheck: fault?.code,
      detail: { travelRule },
    })
    const fields = {
      method: request.method,
      // Addresses that were given to one VASP are not logged.
      path: path.slice(0, 200).replace(/(\/callback\/|\/pay\/[^/]+\/).+/, '$1…'),
      status: response.status,
      ms: Math.round(performance.now() - startedAt),
      umaCode: fault?.code,
      error: fault?.cause,
    }
    ports.log.info(fields, 'UMA message')
    return response
  }
}

interface Message extends Pick<Call, 'request' | 'belongsTo'> {
  readonly path: string
  readonly peer: Peer
}

async function answer(
  ports: Given,
  routes: readonly Route[],
  { request, path, peer, belongsTo }: Message,
): Promise<Response> {
  const { remoteAddress = '' } = peer
  if (request.method === 'OPTIONS') return preflight()
  const { uma, settings } = ports
  const match = routes.map((route) => ({ route, found: route.path.exec(path) })).find(({ found }) => found !== null)
  // URLs in answers are built from the settings, so a request for another Host is refused.
  const host = request.headers.get('host') ?? new URL(request.url).host
  if (uma === undefined || match === undefined || host !== new URL(settings.publicOrigin).host)
    throw umaFault('REQUEST_NOT_FOUND', 'Address not found.')
  const { route, found } = match
  // HEAD is GET without the body (RFC 9110, 9.1), which the HTTP server leaves out.
  if (!route.methods.includes(request.method === 'HEAD' ? 'GET' : request.method)) {
    const allow = [...route.methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : each)), 'OPTIONS'].join(', ')
    throw umaFault('INVALID_REQUEST_FORMAT', `This address accepts ${allow}.`, {
      status: 405,
      headers: { Allow: allow },
    })
  }
  const client = clientAddress(remoteAddress, request.headers.get('x-forwarded-for'), settings.trustedProxies)
  const { mark, umaInvoice } = found?.groups ?? {}
  const rest = decoded(found?.[1] ?? '')
  const call = {
    request,
    url: new URL(request.url),
    rest,
    mark,
    umaInvoice: umaInvoice?.toLowerCase(),
    client,
    belongsTo,
  }
  return reply(JSON.stringify(await route.answer({ ...ports, uma, rates: ports.rates.current() }, call)), 200)
}

/** The failure that another VASP may read. */
function toFault(ports: Pick<Given, 'log' | 'describeFailure'>, error: unknown): UmaFault {
  if (isUmaFault(error)) return error
  if (isVaspError(error)) {
    if (error.status === 413) return umaFault('INVALID_REQUEST_FORMAT', error.message, { status: 413 })
    if (error.status === 403) return umaFault('FORBIDDEN', error.message, { cause: error })
    if (error.options.theirs === 'timeout') return umaFault('LNURLP_REQUEST_FAILED', error.message, { cause: error })
    return umaFault('INVALID_INPUT', error.message, { cause: error })
  }
  ports.log.error({ error }, 'a UMA message could not be answered')
  const known = ports.describeFailure(error)
  if (known.status !== 503) return umaFault('INTERNAL_ERROR', known.message)
  return umaFault('INTERNAL_ERROR', known.message, { status: 503, headers: known.options.headers ?? {} })
}

/**
 * Empty for a segment that cannot be decoded or contains characters that the database cannot store. No user has an
 * empty name.
 */
function decoded(segment: string): string {
  try {
    const text = decodeURIComponent(segment)
    return text.includes('\0') ? '' : text
  } catch {
    return ''
  }
}

/** Any page may send a GET request with any header: the answers are the same for every browser. */
function preflight(): Response {
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET',
    'Access-Control-Allow-Headers': '*',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  }
  return new Response(null, { status: 204, headers })
}

/** Wallets in browsers read these answers from any origin (LUD-16); they are the same for every client. */
function reply(body: string, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      ...headers,
    },
  })
}
