import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { makeLog } from '../log'
import { makeLoadShedding } from './rate-limits'

it('answers 503 with Retry-After, without reading the body, while the limit is reached', async () => {
  const lines: string[] = []
  const log = makeLog('info', 'test', { write: (line) => void lines.push(line) })
  let full = true
  const loadShedding = makeLoadShedding({ isFull: () => full }, log)
  const server = createServer((_request, response) => {
    if (!loadShedding.shed(response)) response.end('served')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    for (let time = 0; time < 3; time++) {
      const answer = await fetch(url, { method: 'POST', body: 'x'.repeat(1_000) })
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(await answer.json()).toEqual({ code: 'INTERNAL', message: expect.any(String) })
    }
    full = false
    expect(await (await fetch(url)).text()).toBe('served')
    await expect.poll(() => lines.length).toBe(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ status: 503, times: 3 })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
