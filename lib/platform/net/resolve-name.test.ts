import { createSocket, type Socket } from 'node:dgram'
import { Resolver, type LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import type { Resolve } from './public-lookup'
import { makeResolve } from './resolve-name'

const A = 1

/** A name server with fixed answers; undefined for no answer. */
async function nameServer(answer: (type: number) => Buffer | undefined): Promise<Resolver> {
  const socket: Socket = createSocket('udp4')
  onTestFinished(() => void socket.close())
  socket.on('message', (query, { port, address }) => {
    // The question ends with its type and class, and an additional record may follow: the name ends at the first zero.
    const nameEnd = query.indexOf(0, 12) + 1
    const record = answer(query.readUInt16BE(nameEnd))
    if (record === undefined) return
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(record.length > 0 ? 1 : 0, 6)
    head.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([head, query.subarray(12, nameEnd + 4), record]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver({ timeout: 100, tries: 2 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return resolver
}

/** An address record for the requested name (given as a pointer), valid for a minute. */
function recordOf(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(60, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

const found = (resolve: Resolve, host: string): Promise<LookupAddress[]> =>
  new Promise((done, fail) => resolve(host, (error, addresses) => (error === null ? done(addresses) : fail(error))))

test('a name resolves to the addresses of both families, and one family is enough', async () => {
  const [v4, v6] = [Buffer.from([203, 0, 113, 7]), Buffer.from('20010db8000000000000000000000001', 'hex')]
  const both = await nameServer((type) => (type === A ? recordOf(A, v4) : recordOf(type, v6)))
  expect(await found(makeResolve(both), 'bank.example')).toEqual(
    expect.arrayContaining([
      { address: '203.0.113.7', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]),
  )
  const one = await nameServer((type) => (type === A ? recordOf(A, v4) : Buffer.alloc(0)))
  expect(await found(makeResolve(one), 'bank.example')).toEqual([{ address: '203.0.113.7', family: 4 }])
})

test('a name without addresses fails to resolve', async () => {
  const none = await nameServer(() => Buffer.alloc(0))
  await expect(found(makeResolve(none), 'bank.example')).rejects.toMatchObject({ code: 'ENODATA' })
})

test('names with silent servers time out and delay no other name', async () => {
  const silent = await nameServer(() => undefined)
  const names = Array.from({ length: 50 }, (_, index) => found(makeResolve(silent), `x${index}.evil.example`))
  const ended = Promise.allSettled(names)
  const answers = await nameServer((type) =>
    type === A ? recordOf(A, Buffer.from([203, 0, 113, 7])) : Buffer.alloc(0),
  )
  let isOver = false
  void ended.then(() => (isOver = true))
  expect(await found(makeResolve(answers), 'bank.example')).toHaveLength(1)
  expect(isOver).toBe(false)
  expect((await ended).every(({ status }) => status === 'rejected')).toBe(true)
})
