import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { HttpClient, LIMITS } from './http.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function listen(listener: RequestListener): Promise<string> {
  const listening = createServer(listener)
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, 'localhost', resolve))
  return `http://localhost:${(listening.address() as AddressInfo).port}/`
}

function clientWith(requestsPerSecond = LIMITS.requestsPerSecond, waitedMs = 0): HttpClient {
  const meter = { bytes: 0, answers: 0, nextAt: 0, waitedMs }
  return new HttpClient({ ...LIMITS, requestsPerSecond }, meter, new AbortController().signal, [])
}

/** Answers 429 until the request was sent this many times. */
function limited(refusals: number, retryAfter: () => string, sent: string[]): RequestListener {
  return (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      sent.push(body)
      if (sent.length <= refusals) response.setHeader('Retry-After', retryAfter()).writeHead(429).end('slow down')
      else response.end('{}')
    })
  }
}

describe('a VASP with a rate limit', () => {
  it('gets the same request again after its Retry-After, in seconds or as a date', async () => {
    for (const retryAfter of [() => '0', () => new Date(Date.now() - 1_000).toUTCString()]) {
      const sent: string[] = []
      const url = await listen(limited(2, retryAfter, sent))
      const reply = await clientWith().send({ method: 'POST', url, body: 'pay' })
      expect(reply.status).toBe(200)
      expect(sent).toEqual(['pay', 'pay', 'pay'])
      server?.close()
    }
  })

  it('is asked a fourth time and no more, and its 429 is the answer', async () => {
    const sent: string[] = []
    const url = await listen(limited(99, () => '0', sent))
    expect((await clientWith().send({ url })).status).toBe(429)
    expect(sent).toHaveLength(4)
  })

  it('is not waited for when it asks for more than a minute', async () => {
    const sent: string[] = []
    const url = await listen(limited(1, () => '3600', sent))
    const client = clientWith()
    expect((await client.send({ url })).status).toBe(429)
    expect(client.waitedMs).toBe(0)
  })

  it('is not waited for when the run has waited for ten minutes', async () => {
    const sent: string[] = []
    const url = await listen(limited(1, () => '0', sent))
    expect((await clientWith(LIMITS.requestsPerSecond, 600_000).send({ url })).status).toBe(429)
    expect(sent).toHaveLength(1)
  })

  it('gets no more requests in a second than the rate allows', async () => {
    const arrived: number[] = []
    const url = await listen((_request, response) => {
      arrived.push(performance.now())
      response.end('{}')
    })
    const client = clientWith(20)
    await Promise.all([client.send({ url }), client.send({ url }), client.send({ url })])
    expect(Math.max(...arrived) - Math.min(...arrived)).toBeGreaterThan(80)
    expect(client.waitedMs).toBeGreaterThan(100)
  })
})
