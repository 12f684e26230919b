import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makeGentleClose } from './gentle-close'

const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\n'

interface Started {
  say(text: string, when?: 'reads later'): Promise<Told>
  close(): Promise<void>
}
interface Told {
  readonly socket: Socket
  heard: string
  hasEnded: boolean
}

async function start(restMs: number, listener: RequestListener): Promise<Started> {
  const server = createServer(listener)
  const close = makeGentleClose(server, restMs)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    close,
    async say(text, when) {
      const accepted = once(server, 'connection') as Promise<[Socket]>
      const socket = connect(port, '127.0.0.1')
      const told = { socket, heard: '', hasEnded: false }
      if (when === undefined) socket.on('data', (data: Buffer) => (told.heard += data.toString()))
      // A reset is an end too.
      socket.on('error', () => undefined)
      socket.on('close', () => (told.hasEnded = true))
      const [other] = await accepted
      socket.write(text)
      await expect.poll(() => other.bytesRead).toBe(text.length)
      return told
    },
  }
}

it('a connection that has said nothing, and one that is kept after its answer, end at once', async () => {
  const anHour = 3_600_000
  const server = await start(anHour, (_request, response) => response.end('fine'))
  const silent = await server.say('')
  const kept = await server.say('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await expect.poll(() => kept.heard).toContain('fine')
  await server.close()
  await expect.poll(() => [silent.hasEnded, kept.hasEnded]).toEqual([true, true])
})

it('what was asked before the word to stop is answered, though nobody has read it yet', async () => {
  const anHour = 3_600_000
  const ask = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const server = await start(anHour, (_request, response) => response.end('fine'))
  const kept = await server.say(ask)
  await expect.poll(() => kept.heard).toContain('fine')
  kept.heard = ''
  kept.socket.write(ask)
  await server.close()
  await expect.poll(() => kept.hasEnded).toBe(true)
  expect(kept.heard).toMatch(/^HTTP\/1\.1 200 .*^Connection: close\r$.*fine/ms)
})

it('half a head and half a body have a while for their rest, and no longer', async () => {
  const server = await start(2_000, (request, response) => {
    request.resume().once('end', () => response.end('fine'))
  })
  const halfBody = `${HEAD}Content-Length: 4\r\n\r\nab`
  const halves = [await server.say(HEAD), await server.say(halfBody), await server.say(halfBody)]
  const closed = server.close()
  halves[2]?.socket.write('cd')
  await closed
  await expect.poll(() => halves.map(({ hasEnded }) => hasEnded)).toEqual([true, true, true])
  expect(halves.map(({ heard }) => heard.includes('fine'))).toEqual([false, false, true])
})

it('whatever is being answered gets its whole answer, however long it takes, and what comes after it is not waited for', async () => {
  let finish: (() => void) | undefined
  const restMs = 200
  const server = await start(restMs, (_request, response) => {
    finish = () => response.end('the end')
    response.write('the beginning, ')
  })
  const one = await server.say(`${HEAD}Content-Length: 0\r\n\r\n`)
  await expect.poll(() => one.heard).toContain('the beginning')
  let isClosed = false
  const closed = server.close().then(() => (isClosed = true))
  await sleep(3 * restMs)
  expect([isClosed, one.hasEnded]).toEqual([false, false])
  one.socket.write(HEAD)
  finish?.()
  await closed
  await expect.poll(() => one.hasEnded).toBe(true)
  expect(one.heard).toContain('the end')
})

it('an answer that was ended and waits for its slow reader gets there whole', async () => {
  const anHour = 3_600_000
  const length = 16 * 1024 * 1024
  const server = await start(anHour, (_request, response) => response.end(Buffer.alloc(length)))
  const slow = await server.say('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', 'reads later')
  const closed = server.close()
  let arrived = 0
  slow.socket.on('data', (data: Buffer) => (arrived += data.length))
  await closed
  await expect.poll(() => slow.hasEnded).toBe(true)
  expect(arrived).toBeGreaterThan(length)
})

it('whoever asks again and again on one connection is told that it ends, and is not served for ever', async () => {
  const anHour = 3_600_000
  const server = await start(anHour, (_request, response) => void setTimeout(() => response.end('fine'), 300))
  const one = await server.say('')
  const asking = setInterval(() => one.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'), 5)
  await expect.poll(() => one.heard).toContain('fine')
  await server.close()
  clearInterval(asking)
  await expect.poll(() => one.hasEnded).toBe(true)
  expect(one.heard).toMatch(/^Connection: close\r$/m)
})

it('a request that has come in part takes no answer with it that is still made before it', async () => {
  const restMs = 200
  let finish: (() => void) | undefined
  const server = await start(restMs, (request, response) => {
    if (request.method === 'GET') finish = () => response.end('fine')
  })
  const one = await server.say(`GET / HTTP/1.1\r\nHost: localhost\r\n\r\n${HEAD}Content-Length: 4\r\n\r\nab`)
  await expect.poll(() => finish).toBeDefined()
  const closed = server.close()
  await sleep(3 * restMs)
  finish?.()
  await closed
  await expect.poll(() => one.hasEnded).toBe(true)
  expect(one.heard).toContain('fine')
})

it('takes no new connection', async () => {
  const server = await start(0, (_request, response) => response.end())
  const one = await server.say('')
  const { remotePort = 0 } = one.socket
  await server.close()
  const [error] = (await once(connect(remotePort, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNREFUSED')
})
