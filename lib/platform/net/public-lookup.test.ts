import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { publicLookup, type Resolve } from './public-lookup'

const reached: string[] = []
const server = createServer((socket) => void (reached.push(socket.localAddress ?? ''), socket.destroy()))
beforeAll(async () => {
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
})
afterAll(() => void server.close())

it('connects to the address that was checked, and checks again on the next connection', async () => {
  const answers = ['127.0.0.1', '127.0.0.2']
  const resolve = vi.fn<Resolve>((_host, done) => done(null, [{ address: answers.shift() ?? '', family: 4 }]))
  const lookup = publicLookup(resolve, (address) => address === '127.0.0.1')
  const dial = (): Socket => connect({ host: 'bank.example', port: (server.address() as AddressInfo).port, lookup })
  await once(dial(), 'close')
  expect([reached, resolve.mock.calls.length]).toEqual([['127.0.0.1'], 1])
  const [error] = (await once(dial(), 'error')) as [unknown]
  expect(error).toMatchObject({ name: 'FetchError', problem: 'not-allowed' })
  expect([reached.length, resolve.mock.calls.length]).toEqual([1, 2])
})

it('connects to no address when one of several is not allowed', async () => {
  const resolve: Resolve = (_host, done) =>
    done(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '127.0.0.2', family: 4 },
    ])
  const lookup = publicLookup(resolve, (address) => address === '127.0.0.1')
  const before = reached.length
  const socket = connect({ host: 'bank.example', port: (server.address() as AddressInfo).port, lookup })
  expect(await once(socket, 'error')).toMatchObject([{ problem: 'not-allowed' }])
  expect(reached).toHaveLength(before)
})
