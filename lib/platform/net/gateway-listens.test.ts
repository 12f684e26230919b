import { createServer, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { gatewayListens } from './gateway-listens'

it('gatewayListens is true for a gateway that listens, and false otherwise', async () => {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const root = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(await gatewayListens(root)).toBe(true)
  await new Promise((resolve) => server.close(resolve))
  expect(await gatewayListens(root)).toBe(false)
})
