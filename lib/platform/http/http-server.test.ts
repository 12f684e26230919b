import { once } from 'node:events'
import { createServer as createHttpServer, get } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '@/test/programs/free-port'
import { makeRejectionPage } from '../../web/error-page'
import { loadSettings } from '../config'
import { makeLog } from '../log'
import { makeHttpServer, makeListener, requireFreePort, type Answered, type Handlers } from './http-server'
import { MAX_BODY_BYTES } from './read-body'

function listen(env: Readonly<Record<string, string>>): Promise<unknown> {
  const settings = loadSettings({
    NEXTAUTH_SECRET: 'a secret of thirty-two characters',
    SANDBOX_TOOLS: 'off',
    ...env,
  })
  const app = { settings, log: makeLog('silent', 'test') } as never
  return makeHttpServer(app, {} as Handlers)
    .listen(() => undefined)
    .catch((error: unknown) => error)
}

describe('an address on which the server cannot listen prevents startup with one line', () => {
  it.each(['203.0.113.1', 'no-such-host.invalid', '999.1.1.1', '::2'])('HOST=%s', async (host) => {
    const error = (await listen({ HOST: host })) as Error
    expect(error.name).toBe('StartError')
    expect(error.message).toMatch(/^HOST cannot be used \(E[A-Z_]+\): .*\.$/)
  })

  it('a PORT that another program uses', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const error = (await listen({ HOST: '127.0.0.1', PORT: String(port) })) as Error
    expect(error.message).toBe(`PORT ${port} is in use on 127.0.0.1: stop the other program or set another PORT.`)
    await expect(
      requireFreePort({ host: '127.0.0.1', sandboxTools: true, teamPassword: undefined, port }),
    ).rejects.toThrow(`PORT ${port} is in use on 127.0.0.1`)
    other.close()
    await once(other, 'close')
    // The check leaves the port free.
    for (let count = 0; count < 2; count++)
      await requireFreePort({ host: '127.0.0.1', sandboxTools: true, teamPassword: undefined, port })
  })
})

it('ends a connection that asks for another protocol, even when the client leaves the connection half open or resets it', async () => {
  const port = await freePort()
  expect(await listen({ HOST: '127.0.0.1', PORT: String(port) })).toBeUndefined()
  const ask = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const halfOpen = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  halfOpen.write(ask)
  const [answer] = (await once(halfOpen, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 426 /)
  // The client gets an error when it writes to a connection that the server has closed.
  const broken = once(halfOpen, 'error')
  const writing = setInterval(() => halfOpen.write('x'), 10)
  await broken
  clearInterval(writing)
  const hasty = connect(port, '127.0.0.1').on('error', () => undefined)
  hasty.write(ask, () => hasty.resetAndDestroy())
  await once(hasty, 'close')
})

describe('a request that is rejected while it is still being sent', () => {
  const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters' })
  const listener = makeListener(
    { settings, log: makeLog('silent', 'test') } as never,
    { rejectionPage: makeRejectionPage(settings) } as Handlers,
  )(() => undefined)

  it('receives the rejection: its connection is not reset first', async () => {
    const server = createHttpServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [other] = await accepted
    const errors: unknown[] = []
    socket.on('error', (error) => errors.push(error))
    const chunk = Buffer.alloc(MAX_BODY_BYTES / 2)
    socket.write(`POST /logout HTTP/1.1\r\nHost: localhost:3000\r\nContent-Length: ${4 * chunk.length}\r\n\r\n`)
    for (let sent = 0; sent < 4; sent++) {
      await expect.poll(() => other.bytesRead).toBe(socket.bytesWritten)
      socket.write(chunk)
    }
    let answer = ''
    socket.on('data', (data: Buffer) => (answer += data.toString()))
    await once(socket, 'close')
    expect(errors).toEqual([])
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*\r\n\r\nThe request body is larger than 64 kB\.$/)
    server.close()
  })

  it('is read for at most a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const server = createHttpServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume()
    socket.write('POST /logout HTTP/1.1\r\nHost: localhost:3000\r\nContent-Length: 1000000\r\n\r\n')
    await once(socket, 'data')
    let isClosed = false
    const closed = once(socket, 'close').then(() => (isClosed = true))
    await vi.advanceTimersByTimeAsync(999)
    expect(isClosed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await closed
    server.close()
  })
})

it('a rejection is a page for a browser', async () => {
  const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters' })
  const listener = makeListener(
    { settings, log: makeLog('silent', 'test') } as never,
    { rejectionPage: makeRejectionPage(settings) } as Handlers,
  )(() => undefined)
  const server = createHttpServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const refused = async (path: string) => {
    const answer = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { Accept: 'text/html' },
      body: 'x'.repeat(MAX_BODY_BYTES + 1),
    })
    return [answer.status, answer.headers.get('content-type'), (await answer.text()).slice(0, 9)]
  }
  // The request does not carry the public host.
  expect(await refused('/logout')).toEqual([421, 'text/html; charset=utf-8', '<!doctype'])
  server.close()
})

it('a page is asked for without the header by which Next would skip it', async () => {
  const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters' })
  let names: readonly string[] = []
  const app = { settings, log: makeLog('silent', 'test') } as never
  const server = createHttpServer(
    makeListener(
      app,
      {} as Handlers,
    )((request, response) => {
      names = Object.keys(request.headers)
      response.end()
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET /wallets HTTP/1.1\r\nHost: localhost:3000\r\nX-Middleware-Prefetch: 1\r\nX-Other: 1\r\n\r\n')
  await once(socket, 'data')
  expect(names).toContain('x-other')
  expect(names).not.toContain('x-middleware-prefetch')
  socket.destroy()
  server.close()
})

it('health polls are not counted, and commands of an operator not as pages', async () => {
  const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters' })
  const counted: string[] = []
  const app = {
    settings,
    log: makeLog('silent', 'test'),
    countAnswer: ({ kind, status }: Answered) => counted.push(`${kind} ${status}`),
  } as never
  const listener = makeListener(app, {
    health: async (_path, _request, response) => void response.writeHead(503).end(),
  } as Handlers)((request, response) => {
    response.writeHead(request.url === '/wallets' ? 200 : 503).end()
  })
  const server = createHttpServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = (path: string, method = 'GET'): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const headers = { Host: new URL(settings.publicOrigin).host, 'Content-Length': '0' }
      const request = get({ port, host: '127.0.0.1', path, method, headers }, (response) =>
        response.resume().once('end', resolve),
      )
      request.once('error', reject)
    })
  for (const path of ['/-/ready', '/-/alive?from=proxy', '/-/serving']) await ask(path)
  await ask('/-/ready', 'HEAD')
  await ask('/-/users', 'POST')
  await ask('/wallets')
  server.close()
  expect(counted).toEqual(['operator 503', 'page 200'])
})
