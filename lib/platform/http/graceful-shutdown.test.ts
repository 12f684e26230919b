import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeGracefulShutdown } from './graceful-shutdown'

const REST_MS = 2_000
const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\n'

// The time for the rest of a request passes only where a test advances it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

interface Started {
  /** Opens a connection and sends the text. */
  send(text: string): Promise<Client>
  close(): Promise<void>
}
interface Client {
  readonly socket: Socket
  received: string
  hasEnded: boolean
}

async function start(listener: RequestListener): Promise<Started> {
  const server = createServer(listener)
  const close = makeGracefulShutdown(server, REST_MS)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    close,
    async send(text) {
      const accepted = once(server, 'connection') as Promise<[Socket]>
      const socket = connect(port, '127.0.0.1')
      const client = { socket, received: '', hasEnded: false }
      socket.on('data', (data: Buffer) => (client.received += data.toString()))
      // A reset ends the connection too.
      socket.on('error', () => undefined)
      socket.on('close', () => (client.hasEnded = true))
      const [other] = await accepted
      socket.write(text)
      await expect.poll(() => other.bytesRead).toBe(text.length)
      return client
    },
  }
}

/** The server has begun to count the time for the rest of a request. */
async function untilClosing(): Promise<void> {
  await expect.poll(() => vi.getTimerCount()).toBe(1)
}

it('ends unused and idle connections immediately', async () => {
  const server = await start((_request, response) => response.end('fine'))
  const silent = await server.send('')
  const kept = await server.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await expect.poll(() => kept.received).toContain('fine')
  await server.close()
  await expect.poll(() => [silent.hasEnded, kept.hasEnded]).toEqual([true, true])
})

it('answers a request whose bytes arrived before the shutdown but had not been read yet', async () => {
  const ask = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const server = await start((_request, response) => response.end('fine'))
  const kept = await server.send(ask)
  await expect.poll(() => kept.received).toContain('fine')
  kept.received = ''
  kept.socket.write(ask)
  await server.close()
  await expect.poll(() => kept.hasEnded).toBe(true)
  expect(kept.received).toMatch(/^HTTP\/1\.1 200 .*^Connection: close\r$.*fine/ms)
})

it('waits two seconds for the rest of a partial request', async () => {
  const server = await start((request, response) => {
    request.resume().once('end', () => response.end('fine'))
  })
  const halfBody = `${HEAD}Content-Length: 4\r\n\r\nab`
  const halves = [await server.send(HEAD), await server.send(halfBody), await server.send(halfBody)]
  const closed = server.close()
  halves[2]?.socket.write('cd')
  await expect.poll(() => halves[2]?.hasEnded).toBe(true)
  await untilClosing()
  await vi.advanceTimersByTimeAsync(REST_MS - 1)
  expect(halves.map(({ hasEnded }) => hasEnded)).toEqual([false, false, true])
  await vi.advanceTimersByTimeAsync(1)
  await closed
  await expect.poll(() => halves.map(({ hasEnded }) => hasEnded)).toEqual([true, true, true])
  expect(halves.map(({ received }) => received.includes('fine'))).toEqual([false, false, true])
})

it('sends each answer in progress completely, and does not wait for further requests on its connection', async () => {
  let finish: (() => void) | undefined
  const server = await start((_request, response) => {
    finish = () => response.end('the end')
    response.write('the beginning, ')
  })
  const one = await server.send(`${HEAD}Content-Length: 0\r\n\r\n`)
  await expect.poll(() => one.received).toContain('the beginning')
  let isClosed = false
  const closed = server.close().then(() => (isClosed = true))
  await untilClosing()
  await vi.advanceTimersByTimeAsync(3 * REST_MS)
  expect([isClosed, one.hasEnded]).toEqual([false, false])
  one.socket.write(HEAD)
  finish?.()
  await closed
  await expect.poll(() => one.hasEnded).toBe(true)
  expect(one.received).toContain('the end')
})

it('sends Connection: close to a client that sends requests without a pause, and ends the connection', async () => {
  vi.useRealTimers()
  const server = await start((_request, response) => void setTimeout(() => response.end('fine'), 300))
  const one = await server.send('')
  const asking = setInterval(() => one.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'), 5)
  await expect.poll(() => one.received).toContain('fine')
  await server.close()
  clearInterval(asking)
  await expect.poll(() => one.hasEnded).toBe(true)
  expect(one.received).toMatch(/^Connection: close\r$/m)
})

it('does not truncate the answer to a request that precedes a partial one', async () => {
  let finish: (() => void) | undefined
  const server = await start((request, response) => {
    if (request.method === 'GET') finish = () => response.end('fine')
  })
  const one = await server.send(`GET / HTTP/1.1\r\nHost: localhost\r\n\r\n${HEAD}Content-Length: 4\r\n\r\nab`)
  await expect.poll(() => finish).toBeDefined()
  const closed = server.close()
  await untilClosing()
  await vi.advanceTimersByTimeAsync(3 * REST_MS)
  finish?.()
  await expect.poll(() => one.received).toContain('fine')
  await vi.advanceTimersByTimeAsync(REST_MS)
  await closed
  await expect.poll(() => one.hasEnded).toBe(true)
})

it('accepts no new connection', async () => {
  const server = await start((_request, response) => response.end())
  const one = await server.send('')
  const { remotePort = 0 } = one.socket
  await server.close()
  const [error] = (await once(connect(remotePort, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNREFUSED')
})
