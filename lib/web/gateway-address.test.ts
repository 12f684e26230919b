import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { gatewayAddress } from './gateway-address'

test('a gateway that is not running gets no link in a local sandbox, but gets one on a hosted server', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const local = { gatewayRootUrl: new URL(address), sandboxTools: true, teamPassword: undefined }
  expect(await gatewayAddress(local)).toBe(address)
  await new Promise((resolve) => server.close(resolve))
  vi.advanceTimersByTime(2_000)
  expect(await gatewayAddress(local)).toBeNull()
  expect(await gatewayAddress({ ...local, teamPassword: 'a team password' })).toBe(address)
  expect(await gatewayAddress({ ...local, sandboxTools: false })).toBe(address)
  vi.useRealTimers()
})
