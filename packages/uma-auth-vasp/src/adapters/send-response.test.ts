import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { sendResponse } from './node-http.ts'

it('sends all cookies of the response and of earlier middleware', async () => {
  const answer = new Response(null, { status: 303, headers: { Location: '/next' } })
  answer.headers.append('Set-Cookie', 'a=1')
  answer.headers.append('Set-Cookie', 'b=2')
  const server = createServer((_request, response) => {
    response.setHeader('Set-Cookie', 'session=0')
    void sendResponse(answer, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' })
  await new Promise((resolve) => server.close(resolve))
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe('/next')
  expect(response.headers.getSetCookie()).toEqual(['session=0', 'a=1', 'b=2'])
})
