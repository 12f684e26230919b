import { createServer, type AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { siteListens } from './site-listens'

afterEach(() => void vi.useRealTimers())

it('siteListens is true for a site that listens and false otherwise, and asks again after two seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const root = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(await Promise.all([siteListens(root), siteListens(root)])).toEqual([true, true])
  expect(await siteListens(root)).toBe(true)
  await new Promise((resolve) => server.close(resolve))
  expect(connections).toBe(1)
  vi.advanceTimersByTime(1_900)
  expect(await siteListens(root)).toBe(true)
  vi.advanceTimersByTime(100)
  expect(await siteListens(root)).toBe(false)
})
