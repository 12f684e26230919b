import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeGuardedFetch, type GuardedFetch } from './guarded-fetch'
import type { Resolve } from './public-lookup'

let server: Server
let origin: string
let answerBy: RequestListener
let connections: number

beforeEach(async () => {
  connections = 0
  answerBy = (_request, response) => void response.end('{}')
  server = createServer((request, response) => answerBy(request, response)).listen(0, '127.0.0.1')
  server.on('connection', () => (connections += 1))
  await once(server, 'listening')
  origin = `http://localhost:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const local = (more: { totalMs?: number; connectMs?: number } = {}): GuardedFetch =>
  makeGuardedFetch({ localPeers: [new URL(origin).host], ...more })
const problem = (kind: string): unknown => expect.objectContaining({ name: 'FetchError', problem: kind })

describe('a URL that another party chose', () => {
  it('is fetched over http when its host is a local peer, and the answer is returned unchanged', async () => {
    answerBy = (request, response) => {
      response.writeHead(412, { 'Content-Type': 'application/json' })
      request.pipe(response)
    }
    expect(await local()(`${origin}/x`, { method: 'POST', body: '{"a":1}' })).toEqual({ status: 412, text: '{"a":1}' })
  })

  it('is fetched below a configured origin, and a redirect is an answer when the caller accepts it', async () => {
    answerBy = (_request, response) => response.writeHead(302, { Location: '/next', Date: 'now' }).end('moved')
    const configured = makeGuardedFetch({ localPeers: [], configuredOrigins: [origin] })
    expect(await configured(`${origin}/x`, { acceptsRedirects: true })).toEqual({
      status: 302,
      text: 'moved',
      headers: { date: 'now', location: '/next' },
    })
    expect(connections).toBe(1)
    await expect(configured(`${origin}/x`)).rejects.toEqual(problem('answer'))
    await expect(configured(origin.replace('http:', 'https:'))).rejects.toEqual(problem('not-allowed'))
    await expect(configured(`${origin}0/x`)).rejects.toEqual(problem('not-allowed'))
  })

  it.each([
    'http://bank.example/',
    'http://localhost:1/',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://bank.example:8443/',
    'https://x.internal/',
    'https://user:word@bank.example/',
    'https://bank.example@127.0.0.1/',
    'ftp://bank.example/',
    'file:///etc/passwd',
    'no address',
    `https://bank.example/${'x'.repeat(2_100)}`,
  ])('is refused as %s, before its name is resolved', async (url) => {
    const resolve = vi.fn<Resolve>()
    await expect(makeGuardedFetch({ localPeers: ['localhost:3001'], resolve })(url)).rejects.toEqual(
      problem('not-allowed'),
    )
    expect(resolve).not.toHaveBeenCalled()
  })

  describe('is refused when its name resolves to', () => {
    let tcp: TcpServer
    let reached: number
    beforeEach(async () => {
      reached = 0
      tcp = createTcpServer((socket) => void ((reached += 1), socket.destroy())).listen(443, '127.0.0.1')
      // The refusals are also tested without permission to open port 443.
      await new Promise((done) => tcp.once('listening', done).once('error', done))
    })
    afterEach(() => void tcp.close())

    it.each([
      ['a private address', ['10.0.0.1']],
      ['the address of this machine', ['127.0.0.1']],
      ['the metadata address of a cloud', ['169.254.169.254']],
      ['a public and a private address', ['93.184.216.34', 'fd00::1']],
      ['a private address embedded in another', ['::ffff:127.0.0.1']],
      ['no address', []],
    ])('%s', async (_, addresses) => {
      const resolve: Resolve = (_host, done) =>
        done(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      await expect(makeGuardedFetch({ localPeers: [], resolve })('https://bank.example/')).rejects.toEqual(
        problem('not-allowed'),
      )
      expect(reached).toBe(0)
    })
  })
})

describe('an answer', () => {
  it.each([301, 302, 303, 307, 308])('that redirects (%d) is not followed', async (status) => {
    const elsewhere = vi.fn()
    answerBy = (request, response) => {
      if (request.url === '/elsewhere') elsewhere()
      response.writeHead(status, { Location: '/elsewhere' }).end()
    }
    await expect(local()(origin)).rejects.toEqual(problem('answer'))
    expect(elsewhere).not.toHaveBeenCalled()
  })

  it('of 64 kB is read, and one that is a byte longer is not, with or without Content-Length', async () => {
    answerBy = (request, response) => {
      if (request.url === '/chunked') response.flushHeaders()
      response.end('x'.repeat(request.url === '/most' ? 65_536 : 65_537))
    }
    expect((await local()(`${origin}/most`)).text).toHaveLength(65_536)
    for (const path of ['/long', '/chunked'])
      await expect(local()(`${origin}${path}`)).rejects.toEqual(problem('answer'))
  })

  it.each(['gzip', 'br', 'x'])('compressed with %s is refused', async (encoding) => {
    answerBy = (_request, response) => void response.writeHead(200, { 'Content-Encoding': encoding }).end('plain')
    await expect(local()(origin)).rejects.toEqual(problem('answer'))
  })

  it('that is compressed and never ends leaves no connection open', async () => {
    answerBy = (_request, response) => void response.writeHead(200, { 'Content-Encoding': 'x' }).write('plain')
    await expect(local()(origin)).rejects.toEqual(problem('answer'))
    const open = () => new Promise((done) => server.getConnections((_error, count) => done(count)))
    await expect.poll(open).toBe(0)
  })

  it('that changes the protocol fails, and frees its slot', async () => {
    const headers = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'
    answerBy = (request, response) =>
      request.url === '/fine' ? void response.end('fine') : void request.socket.write(headers)
    const fetchIt = local({ totalMs: 30_000 })
    for (let times = 0; times < 11; times += 1)
      await expect(fetchIt(`${origin}/changes`)).rejects.toEqual(problem('answer'))
    expect((await fetchIt(`${origin}/fine`)).text).toBe('fine')
  })

  it.each([
    ['never begins', () => undefined],
    [
      'comes a byte at a time',
      (response: { write(text: string): void }) => void setInterval(() => response.write('x'), 20).unref(),
    ],
  ])('that %s times out', async (_, begin) => {
    answerBy = (_request, response) => begin(response)
    await expect(local({ totalMs: 200 })(origin)).rejects.toEqual(problem('late'))
  })

  it('that breaks off fails', async () => {
    answerBy = (_request, response) => {
      response.writeHead(200, { 'Content-Length': '10' })
      response.write('x')
      setTimeout(() => response.destroy(), 20)
    }
    await expect(local()(origin)).rejects.toEqual(problem('unreachable'))
    server.close()
    server.closeAllConnections()
    await expect(local()(origin)).rejects.toEqual(problem('unreachable'))
  })
})

describe('concurrent requests', () => {
  it('are limited to five per host, and queued ones time out on time', async () => {
    const open: (() => void)[] = []
    answerBy = (_request, response) => void open.push(() => response.end('{}'))
    const fetchIt = local({ totalMs: 3_000 })
    const all = Promise.allSettled(Array.from({ length: 8 }, () => fetchIt(origin)))
    await expect.poll(() => open.length).toBe(5)
    expect(connections).toBe(5)
    expect(await all).toEqual(Array.from({ length: 8 }, () => ({ status: 'rejected', reason: problem('late') })))
    answerBy = (_request, response) => void response.end('fine')
    expect((await fetchIt(origin)).text).toBe('fine')
  })

  it('queue up to 100, and the next one is rejected at once', async () => {
    const open: (() => void)[] = []
    answerBy = (_request, response) => void open.push(() => response.end('{}'))
    const fetchIt = local({ totalMs: 30_000 })
    const all = Array.from({ length: 106 }, () =>
      fetchIt(origin).then(
        () => 'answered',
        (error: { problem: string }) => error.problem,
      ),
    )
    expect(await all[105]).toBe('busy')
    await expect.poll(() => open.length).toBe(5)
    answerBy = (_request, response) => void response.end('{}')
    for (const end of open) end()
    expect((await Promise.all(all)).filter((each) => each === 'answered')).toHaveLength(105)
  })
})
