import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { readText } from './read-text'

it('stops reading an endless answer, and closes its connection', async () => {
  let sent = 0
  const server = createServer((_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(16_384))) sent += 16_384
    }
    response.on('drain', more)
    more()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`)
  expect(await readText(response, 64 * 1024)).toHaveLength(64 * 1024)
  await expect
    .poll(() => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))))
    .toBe(0)
  expect(sent).toBeLessThan(16 * 1024 * 1024)
  server.close()
})

it('returns a short answer complete, and an empty text for none', async () => {
  expect(await readText(new Response('Grüße'), 100)).toBe('Grüße')
  expect(await readText(new Response(null, { status: 204 }), 100)).toBe('')
})
