import { once } from 'node:events'
import http, { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeGuardedFetch, type GuardedFetch } from './guarded-fetch'
import { makeKeepAlive } from './keep-alive'
import { publicLookup, type Resolve } from './public-lookup'

const servers: Server[] = []
let port: number
let origin: string
let answerBy: RequestListener
let connections: Socket[]
let fetchIt: GuardedFetch

beforeEach(async () => {
  connections = []
  answerBy = (_request, response) => void response.end('{}')
  port = await listen((request, response) => answerBy(request, response))
  origin = `http://127.0.0.1:${port}`
  fetchIt = makeGuardedFetch({ localPeers: [`127.0.0.1:${port}`, `localhost:${port}`] })
})
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  server.on('connection', (socket) => connections.push(socket))
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
const problem = (kind: string): unknown => expect.objectContaining({ name: 'FetchError', problem: kind })
const done = { method: 'POST', body: '{"a":1}', isIdempotent: true } as const

describe('an idle connection', () => {
  it('carries the next request to the same origin', async () => {
    for (let times = 0; times < 3; times += 1) await fetchIt(origin)
    await fetchIt(origin, done)
    expect(connections).toHaveLength(1)
  })

  it('is not used for another name of the same machine', async () => {
    await fetchIt(origin)
    await fetchIt(`http://localhost:${port}`)
    expect(connections).toHaveLength(2)
  })

  it('is not used for another port of the same name', async () => {
    const other = await listen((_request, response) => void response.end('other'))
    const both = makeGuardedFetch({ localPeers: [`127.0.0.1:${port}`, `127.0.0.1:${other}`] })
    await both(origin)
    expect(await both(`http://127.0.0.1:${other}`)).toEqual({ status: 200, text: 'other' })
  })

  it('is not used for a POST that is not idempotent', async () => {
    await fetchIt(origin)
    await fetchIt(origin, { method: 'POST', body: '{}' })
    expect(connections).toHaveLength(2)
  })

  it('keeps the address that was checked, and a new connection is checked again', async () => {
    const addresses = ['127.0.0.1', '10.0.0.1']
    const resolve = vi.fn<Resolve>((_host, tell) => tell(null, [{ address: addresses.shift() ?? '', family: 4 }]))
    const lookup = publicLookup(resolve, (address) => address === '127.0.0.1')
    const url = new URL(`http://bank.example:${port}`)
    const agent = makeKeepAlive().agentFor(url)
    const ask = async (): Promise<string> => {
      const [answer] = (await once(http.get(url, { agent, lookup }), 'response')) as [IncomingMessage]
      return text(answer)
    }
    expect([await ask(), await ask()]).toEqual(['{}', '{}'])
    expect([connections.length, resolve.mock.calls.length]).toEqual([1, 1])
    if (agent !== false) agent.destroy()
    await expect(ask()).rejects.toMatchObject({ problem: 'not-allowed' })
    expect([connections.length, resolve.mock.calls.length]).toEqual([1, 2])
  })

  it('is closed after its idle time', async () => {
    const url = new URL(origin)
    const agent = makeKeepAlive(50).agentFor(url)
    const [answer] = (await once(http.get(url, { agent }), 'response')) as [IncomingMessage]
    await text(answer)
    await expect.poll(() => connections.map(({ destroyed }) => destroyed)).toEqual([true])
  })

  it('is one of at most 20 for all hosts together', async () => {
    const ports = await Promise.all(
      Array.from({ length: 24 }, () => listen((_request, response) => void response.end('{}'))),
    )
    const many = makeGuardedFetch({ localPeers: ports.map((each) => `127.0.0.1:${each}`) })
    for (const each of ports) await many(`http://127.0.0.1:${each}`)
    await expect.poll(() => connections.filter(({ destroyed }) => !destroyed)).toHaveLength(20)
  })

  it.each([
    ['a redirect', (response: http.ServerResponse) => response.writeHead(302, { Location: '/' }).end()],
    ['an answer that is too long', (response: http.ServerResponse) => response.end('x'.repeat(65_537))],
  ])('is closed after %s', async (_, answer) => {
    answerBy = (_request, response) => void answer(response)
    await expect(fetchIt(origin)).rejects.toEqual(problem('answer'))
    await expect.poll(() => connections.map(({ destroyed }) => destroyed)).toEqual([true])
  })

  it('ignores bytes that arrive before the request', async () => {
    await fetchIt(origin)
    connections[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil')
    await expect.poll(() => connections[0]?.destroyed).toBe(true)
    expect((await fetchIt(origin)).text).toBe('{}')
  })
})

describe('a server that closed an idle connection', () => {
  /** What the server received on connections that had been used before. */
  let lost: string[]
  beforeEach(async () => {
    lost = []
    await fetchIt(origin)
    const [kept] = connections
    const answer = async (request: IncomingMessage, response: http.ServerResponse): Promise<void> => {
      const body = await text(request)
      if (request.socket !== kept) return void response.end(body)
      lost.push(body)
      request.socket.resetAndDestroy()
    }
    answerBy = (request, response) => void answer(request, response)
  })

  it('receives a GET again on a new connection', async () => {
    expect(await fetchIt(origin)).toEqual({ status: 200, text: '' })
    expect([lost, connections.length]).toEqual([[''], 2])
  })

  it('receives an idempotent POST again, with the same bytes', async () => {
    expect(await fetchIt(origin, done)).toEqual({ status: 200, text: done.body })
    expect([lost, connections.length]).toEqual([[done.body], 2])
  })

  it('receives no request again after its answer has begun', async () => {
    answerBy = (request) => {
      lost.push('')
      request.socket.write('HTTP/1.1 200')
      setTimeout(() => request.socket.resetAndDestroy(), 20)
    }
    await expect(fetchIt(origin)).rejects.toEqual(problem('unreachable'))
    expect([lost, connections.length]).toEqual([[''], 1])
  })

  it('receives no request a third time, although another connection to it is idle', async () => {
    answerBy = (_request, response) => setTimeout(() => response.end(), 20)
    await Promise.all([fetchIt(origin), fetchIt(origin)])
    expect(connections).toHaveLength(2)
    answerBy = (request) => void (lost.push(''), request.socket.resetAndDestroy())
    await expect(fetchIt(origin, done)).rejects.toEqual(problem('unreachable'))
    expect([lost, connections.length]).toEqual([['', ''], 3])
  })

  it('receives no request again when the connection was new', async () => {
    answerBy = (request) => void (lost.push(''), request.socket.resetAndDestroy())
    await expect(fetchIt(`http://localhost:${port}`, done)).rejects.toEqual(problem('unreachable'))
    expect(lost).toEqual([''])
  })

  it('receives a POST that is not idempotent only once', async () => {
    answerBy = (request) => void (lost.push(''), request.socket.resetAndDestroy())
    await expect(fetchIt(origin, { method: 'POST', body: '{}' })).rejects.toEqual(problem('unreachable'))
    expect(lost).toHaveLength(1)
  })
})
