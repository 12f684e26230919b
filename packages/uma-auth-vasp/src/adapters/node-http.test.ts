import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTestVasp, moment, type Backend, type Options } from '../../test/memory-bank'
import { sendResponse, toNodeHandler, type NodeHandler } from './node-http'

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

interface Call {
  readonly method?: string
  readonly path: string
  /** Names and values, alternating: any number of lines. */
  readonly headers?: readonly string[]
  readonly body?: string
}

/** Runs a server for one test. @returns a function that sends it requests. */
async function serve(listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const open = ({ method = 'GET', path, headers = [] }: Call, onAnswer: (answer: IncomingMessage) => void) =>
    sendRequest({ host: '127.0.0.1', port, method, path, headers: ['Host', 'bank.example', ...headers] }, onAnswer)
  const send = (call: Call): Promise<Answer> =>
    new Promise((resolve, reject) => {
      open(call, (answer) => {
        answer.setEncoding('utf8')
        let text = ''
        answer.on('data', (chunk: string) => (text += chunk))
        answer.on('error', reject)
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
      })
        .on('error', reject)
        .end(call.body)
    })
  return { send, open }
}

async function setUp(changes: Partial<Backend> = {}, options: Partial<Options> = {}) {
  const bank = createTestVasp(changes, options)
  const token = await bank.connectionToken()
  return { ...bank, handler: toNodeHandler(bank.vasp), authorization: ['Authorization', `Bearer ${token}`] as const }
}

/** A body parser of Express: it consumes the stream and leaves its result in `body`. */
function withBodyParser(parse: (text: Buffer) => unknown, handler: NodeHandler) {
  return (request: IncomingMessage & { body?: unknown }, response: ServerResponse): void => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      request.body = parse(Buffer.concat(chunks))
      handler(request, response, () => response.writeHead(418).end())
    })
  }
}

const INVOICE = { method: 'POST', path: '/umanwc/v1/invoice', body: '{"amount":1000}' }

describe('toNodeHandler on node:http', () => {
  it('answers the API, discovery and 404 for other paths', async () => {
    const { handler, authorization, vasp } = await setUp()
    const { send } = await serve(handler)
    const balance = await send({ path: '/umanwc/v1/balance?currency_code=USD', headers: authorization })
    expect([balance.status, JSON.parse(balance.text)]).toMatchObject([200, { balance: 12_345 }])
    const invoice = await send({ ...INVOICE, headers: authorization })
    expect([invoice.status, JSON.parse(invoice.text)]).toMatchObject([200, { amount: 1_000 }])
    const discovery = await send({ path: '/.well-known/uma-configuration' })
    expect(JSON.parse(discovery.text)).toEqual(vasp.discovery())
    expect((await send({ path: '/other' })).status).toBe(404)
  })

  it('answers HEAD with the length of GET and no body', async () => {
    const { send } = await serve((await setUp()).handler)
    const [get, head] = [
      await send({ path: '/.well-known/uma-configuration' }),
      await send({ method: 'HEAD', path: '/.well-known/uma-configuration' }),
    ]
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']])
  })

  it('answers 401 to two Authorization headers, in either order', async () => {
    const { handler, authorization } = await setUp()
    const { send } = await serve(handler)
    const other = ['authorization', 'Bearer a.b.c']
    for (const headers of [
      [...authorization, ...other],
      [...other, ...authorization],
      [...authorization, ...authorization],
    ])
      expect((await send({ path: '/umanwc/v1/balance', headers })).status).toBe(401)
    expect((await send({ path: '/umanwc/v1/balance', headers: authorization })).status).toBe(200)
  })

  it('passes the client’s address and headers, in any case, to allows', async () => {
    const allows = vi.fn<NonNullable<Options['allows']>>(
      ({ headers, remoteAddress }) =>
        headers.get('X-Forwarded-For') === '10.0.0.1, 10.0.0.2' && remoteAddress === '127.0.0.1',
    )
    const { handler, authorization } = await setUp({}, { allows })
    const { send } = await serve(handler)
    const forwarded = ['x-forwarded-for', '10.0.0.1', 'X-FORWARDED-FOR', '10.0.0.2']
    expect((await send({ path: '/umanwc/v1/balance', headers: [...authorization, ...forwarded] })).status).toBe(200)
    expect((await send({ path: '/umanwc/v1/balance', headers: authorization })).status).toBe(403)
  })

  it('aborts the signal of a method when the client disconnects', async () => {
    const [begun, aborted] = [moment(), moment()]
    const { handler, authorization } = await setUp({
      getBalance: async (_caller, _input, { signal }) => {
        signal?.addEventListener('abort', aborted.reach)
        begun.reach()
        await aborted.reached
        return { amount: 1n, currencyCode: undefined }
      },
    })
    const { open } = await serve(handler)
    const request = open({ path: '/umanwc/v1/balance', headers: authorization }, () => undefined)
    request.on('error', () => undefined).end()
    await begun.reached
    request.destroy()
    await aborted.reached
  })

  it('answers 400 to a client that stops in the middle of its body', async () => {
    const { vasp, authorization, events } = await setUp()
    const [begun, answered] = [moment(), moment()]
    const handle: typeof vasp.handle = (request) => {
      begun.reach()
      return vasp.handle(request).finally(answered.reach)
    }
    const { open } = await serve(toNodeHandler({ ...vasp, handle }))
    const headers = [...authorization, 'Content-Length', '100']
    const request = open({ ...INVOICE, headers }, () => undefined).on('error', () => undefined)
    request.write('{"amount"')
    await begun.reached
    request.destroy()
    await answered.reached
    expect(events).toMatchObject([{ status: 400, failedCheck: 'input' }])
  })
})

describe('toNodeHandler as middleware', () => {
  it.each([
    ['/umanwc/v1/balance', 401],
    ['/umanwc/v1/nowhere', 404],
    ['/.well-known/uma-configuration?x=1', 200],
    ['/umanwc/v10/balance', 418],
    ['/?path=/umanwc/v1/balance', 418],
  ])('passes foreign paths to next: %s answers %d', async (path, status) => {
    const { handler } = await setUp()
    const { send } = await serve((request, response) => handler(request, response, () => response.writeHead(418).end()))
    expect((await send({ path })).status).toBe(status)
  })

  it('reads the original address below a mount point', async () => {
    const { handler, authorization } = await setUp()
    const { send } = await serve((request, response) => {
      const rewritten = Object.assign(request, { originalUrl: request.url })
      rewritten.url = rewritten.url?.replace('/umanwc', '') ?? '/'
      handler(rewritten, response, () => response.writeHead(418).end())
    })
    expect((await send({ path: '/umanwc/v1/balance', headers: authorization })).status).toBe(200)
  })

  it.each<[string, (body: Buffer) => unknown]>([
    ['an object', (body) => JSON.parse(body.toString()) as unknown],
    ['text', (body) => body.toString()],
    ['bytes', (body) => body],
  ])('reads a body that a parser has turned into %s', async (_, parse) => {
    const { handler, authorization } = await setUp()
    const { send } = await serve(withBodyParser(parse, handler))
    const answer = await send({ ...INVOICE, headers: authorization })
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, { amount: 1_000 }])
  })

  it('answers 400 to a body that was consumed and discarded', async () => {
    const { handler, authorization } = await setUp()
    const { send } = await serve(withBodyParser(() => undefined, handler))
    expect((await send({ ...INVOICE, headers: authorization })).status).toBe(400)
  })

  it('reads the stream when a parser did not consume it and set an empty body', async () => {
    const { handler, authorization } = await setUp()
    const { send } = await serve((request, response) => handler(Object.assign(request, { body: {} }), response))
    expect((await send({ ...INVOICE, headers: authorization })).status).toBe(200)
  })

  it('closes the connection when another middleware has begun the response', async () => {
    const { handler } = await setUp()
    const { send } = await serve((request, response) => {
      response.writeHead(200)
      response.write('begun')
      handler(request, response)
    })
    await expect(send({ path: '/umanwc/v1/balance' })).rejects.toThrow()
  })
})

describe('sendResponse', () => {
  it('sends status, body and every header line, including several cookies', async () => {
    const headers = new Headers({ Location: 'https://gateway.example/' })
    headers.append('Set-Cookie', 'a=1')
    headers.append('Set-Cookie', 'b=2')
    const { send } = await serve((_request, response) => {
      void sendResponse(new Response('Moved', { status: 303, headers }), response)
    })
    const answer = await send({ path: '/' })
    expect([answer.status, answer.text]).toEqual([303, 'Moved'])
    expect(answer.headers).toMatchObject({ location: 'https://gateway.example/', 'set-cookie': ['a=1', 'b=2'] })
  })
})
