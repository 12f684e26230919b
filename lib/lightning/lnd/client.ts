import type { ClientRequest, IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { z } from 'zod'
import { LndError, NotSent, type Lnd, type LndInvoice, type SendRequest } from './lnd'
import {
  AddedInvoice,
  base64,
  base64url,
  Channels,
  ErrorAnswer,
  Info,
  Invoice,
  InvoicePage,
  Nothing,
  Payment,
  PREIMAGE_RECORD,
  Routes,
  StreamLine,
} from './messages'

/** How to reach an LND. */
export interface LndAccess {
  /** Scheme, host and port of its REST interface. */
  readonly url: string
  /** Hex. */
  readonly macaroon: string
  /** PEM: its certificate, or that of its issuer. */
  readonly ca: string
}

/**
 * For name resolution, TCP and TLS together. A payment is given up a minute after it was sent without a trace (`lib/payments`), so
 * none may leave later than that.
 */
const CONNECT_MS = 5_000
/** From the call to the whole answer; streams have no limit. */
const ANSWER_MS = 15_000
/** A page waits for it. */
const ROUTE_MS = 5_000
/** An idle connection whose other end is gone is noticed after about this time. */
const KEEP_ALIVE_MS = 30_000
const MAX_BODY = 8 * 1024 * 1024
/** A payment with hundreds of attempts is a long line. */
const MAX_LINE = 4 * 1024 * 1024
/** Less than `MAX_BODY`, with two thousand characters for each invoice. A payer in many parts makes one longer: then fewer are asked for. */
const INVOICES_PER_PAGE = 500
/** How long LND begins new attempts at a payment. */
const ATTEMPT_SECONDS = 40
const MAX_PARTS = 16

class TooLong extends Error {}

interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  /** From the call to the whole answer. */
  readonly withinMs?: number
  readonly signal?: AbortSignal
}

/** LND's REST interface over HTTPS. */
export function makeLndClient({ url, macaroon, ca }: LndAccess): Lnd {
  const { hostname, port } = new URL(url)
  const kept = new https.Agent({ ca, keepAlive: true })
  /** For streams and payments, because LND may have closed an idle connection. */
  const fresh = new https.Agent({ ca, keepAlive: false })
  const calls = new Set<ClientRequest>()

  /** Resolves with the headers of the answer. Nothing is written before the connection is complete. */
  function open({ method, path, body, withinMs, signal }: Call, agent: https.Agent): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      let hasLeft = false
      const request = https.request({
        hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
        port: port === '' ? 443 : port,
        path,
        method,
        agent,
        headers: { 'Grpc-Metadata-macaroon': macaroon, 'Content-Type': 'application/json' },
        ...(signal && { signal }),
      })
      calls.add(request)
      const calledAt = performance.now()
      const stopIn = (ms: number, reason: string): NodeJS.Timeout =>
        setTimeout(() => request.destroy(new Error(reason)), ms)
      const unconnected = stopIn(CONNECT_MS, 'no connection in time')
      const unanswered = withinMs === undefined ? undefined : stopIn(withinMs, 'no answer in time')
      const leave = (): void => {
        clearTimeout(unconnected)
        // A process that was paused in between sends nothing any more.
        if (performance.now() - calledAt > 2 * CONNECT_MS) return void request.destroy(new Error('the call is too old'))
        hasLeft = true
        request.end(body === undefined ? undefined : JSON.stringify(body))
      }
      request.on('socket', (socket: Socket) => {
        socket.setKeepAlive(true, KEEP_ALIVE_MS)
        if (request.reusedSocket) leave()
        else socket.once('secureConnect', leave)
      })
      request.on('response', resolve)
      request.on('error', (error) => reject(hasLeft ? error : new NotSent(error)))
      request.on('close', () => {
        clearTimeout(unconnected)
        clearTimeout(unanswered)
        calls.delete(request)
      })
    })
  }

  async function call<Answer>(schema: z.ZodType<Answer>, asked: Call): Promise<Answer> {
    const response = await open({ withinMs: ANSWER_MS, ...asked }, kept)
    const text = await textOf(response)
    if (response.statusCode !== 200) throw errorOf(response, text)
    return schema.parse(JSON.parse(text))
  }
  const get = <Answer>(schema: z.ZodType<Answer>, path: string): Promise<Answer> =>
    call(schema, { method: 'GET', path })
  const post = <Answer>(schema: z.ZodType<Answer>, path: string, body: unknown): Promise<Answer> =>
    call(schema, { method: 'POST', path, body })

  /** The results of a stream, until it ends. */
  async function* stream<Result>(schema: z.ZodType<Result>, asked: Call): AsyncGenerator<Result, void, undefined> {
    const response = await open(asked, fresh)
    try {
      if (response.statusCode !== 200) throw errorOf(response, await textOf(response))
      for await (const text of linesOf(response)) {
        const line = StreamLine.parse(JSON.parse(text))
        if ('error' in line) throw new LndError(line.error.code, line.error.message)
        yield schema.parse(line.result)
      }
    } finally {
      response.destroy()
    }
  }

  async function* invoicePages(filter: string): AsyncGenerator<LndInvoice, void, undefined> {
    let [offset, size] = [0n, INVOICES_PER_PAGE]
    for (;;) {
      const path = `/v1/invoices?index_offset=${offset}&num_max_invoices=${size}${filter}`
      const page = await get(InvoicePage, path).catch((error: unknown) => {
        if (!(error instanceof TooLong) || size === 1) throw error
      })
      if (page === undefined) {
        size = Math.ceil(size / 2)
        continue
      }
      yield* page.invoices
      if (page.invoices.length < size || page.last_index_offset <= offset) return
      offset = page.last_index_offset
    }
  }

  return {
    getInfo: () => get(Info, '/v1/getinfo'),
    listChannels: async () => (await get(Channels, '/v1/channels')).channels,
    async addInvoice({ preimage, valueMsat, expirySeconds, purpose }) {
      const { payment_request: invoice } = await post(AddedInvoice, '/v1/invoices', {
        r_preimage: base64(preimage),
        expiry: String(expirySeconds),
        ...(valueMsat !== undefined && { value_msat: String(valueMsat) }),
        ...('description' in purpose
          ? { memo: purpose.description }
          : { description_hash: base64(purpose.descriptionHash) }),
      })
      return invoice
    },
    lookUpInvoice: (paymentHash) => get(Invoice, `/v1/invoice/${paymentHash}`),
    async settleInvoice(preimage) {
      await post(Nothing, '/v2/invoices/settle', { preimage: base64(preimage) })
    },
    async cancelInvoice(paymentHash) {
      await post(Nothing, '/v2/invoices/cancel', { payment_hash: base64(paymentHash) })
    },
    invoices: () => invoicePages(''),
    pendingInvoices: () => invoicePages('&pending_only=true'),
    subscribe: (settleIndex, signal) =>
      stream(Invoice, { method: 'GET', path: `/v1/invoices/subscribe?settle_index=${settleIndex}`, signal }),
    async queryRoutes(destination, amountMsat) {
      const path = `/v1/graph/routes/${destination}/0?amt_msat=${amountMsat}&use_mission_control=true`
      const { routes } = await call(Routes, { method: 'GET', path, withinMs: ROUTE_MS })
      return routes[0]?.total_fees_msat ?? 0n
    },
    async send(request) {
      const asked: Call = { method: 'POST', path: '/v2/router/send', body: bodyOf(request) }
      for await (const payment of stream(Payment, asked)) {
        if (payment.paymentHash !== request.paymentHash) throw new Error('LND sent another payment')
        if (payment.status !== 'IN_FLIGHT') return payment
      }
      throw new Error('LND ended the stream before the payment')
    },
    async track(paymentHash) {
      const path = `/v2/router/track/${base64url(paymentHash)}`
      for await (const payment of stream(Payment, { method: 'GET', path, withinMs: ANSWER_MS })) {
        if (payment.paymentHash !== paymentHash) throw new Error('LND tracked another payment')
        return payment
      }
      throw new Error('LND ended the stream without a payment')
    },
    close() {
      for (const request of calls) request.destroy(new Error('the node was closed'))
      kept.destroy()
      fresh.destroy()
    },
  }
}

function bodyOf({ paymentRequest, keysend, amountMsat, feeLimitMsat, paymentHash }: SendRequest): unknown {
  const common = {
    fee_limit_msat: String(feeLimitMsat),
    timeout_seconds: ATTEMPT_SECONDS,
    no_inflight_updates: true,
    ...(amountMsat !== undefined && { amt_msat: String(amountMsat) }),
  }
  if (keysend === undefined) return { ...common, payment_request: paymentRequest, max_parts: MAX_PARTS }
  const { destination, preimage, records } = keysend
  return {
    ...common,
    dest: base64(destination),
    payment_hash: base64(paymentHash),
    dest_custom_records: {
      ...Object.fromEntries(records.map(({ type, value }) => [String(type), base64(value)])),
      [PREIMAGE_RECORD]: base64(preimage),
    },
    dest_features: ['TLV_ONION_REQ'],
  }
}

/** Anything but LND's own form of an error leaves the outcome open: a proxy may have answered for it. */
function errorOf(response: IncomingMessage, text: string): Error {
  const status = response.statusCode ?? 0
  try {
    const { code, message } = ErrorAnswer.parse(JSON.parse(text))
    return new LndError(code, message)
  } catch {
    return new Error(`the answer ${status} is not LND's`)
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if ((bytes += chunk.length) > MAX_BODY) throw new TooLong('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string, void, undefined> {
  response.setEncoding('utf8')
  let rest = ''
  for await (const chunk of response as AsyncIterable<string>) {
    rest += chunk
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 1)
      if (line.length > MAX_LINE) throw new Error('a line of the answer is too long')
      if (line.trim() !== '') yield line
    }
    if (rest.length > MAX_LINE) throw new Error('a line of the answer is too long')
  }
  if (rest.trim() !== '') yield rest
}
