import { createServer, type AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { gatewayListens } from './gateway-listens'

afterEach(() => void vi.useRealTimers())

it('gatewayListens is true for a gateway that listens and false otherwise, and asks again after two seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const root = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(await Promise.all([gatewayListens(root), gatewayListens(root)])).toEqual([true, true])
  expect(await gatewayListens(root)).toBe(true)
  await new Promise((resolve) => server.close(resolve))
  expect(connections).toBe(1)
  vi.advanceTimersByTime(1_900)
  expect(await gatewayListens(root)).toBe(true)
  vi.advanceTimersByTime(100)
  expect(await gatewayListens(root)).toBe(false)
})
