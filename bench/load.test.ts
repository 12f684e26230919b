import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { runLoad } from './load'
import { get } from './requests'

it('A load keeps the first text of each unexpected status, so that one unexpected answer does not hide another', async () => {
  const server = createServer(({ url, socket }, response) => {
    if (url === '/lost') return void socket.destroy()
    response.statusCode = Number(url?.slice(1))
    response.end(`text of ${url}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const requests = ['/lost', '/200', '/400', '/503', '/500'].map((path) => get(path))
  const arrival = { kind: 'closed', callers: 1 } as const
  const { statuses, oddAnswers } = await runLoad({
    ports: [port],
    host: 'localhost:1',
    requests,
    once: true,
    durationMs: 10_000,
    arrival,
  })
  server.close()
  expect(statuses).toEqual({ 0: 1, 200: 1, 400: 1, 500: 1, 503: 1 })
  expect(oddAnswers).toEqual({ 0: expect.any(String), 400: 'text of /400', 500: 'text of /500' })
})
