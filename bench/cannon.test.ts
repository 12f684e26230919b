import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startCannon, type Cannon } from './loader'
import { shoot, type Shot } from './measure'
import { get } from './requests'

let server: Server
let cannon: Cannon
const seen: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(`${request.headers.host} ${request.url}`)
    response.writeHead(request.url === '/missing' ? 404 : 200).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cannon = startCannon()
})
afterAll(() => {
  cannon.stop()
  server.close()
})
beforeEach(() => void (seen.length = 0))

function shotOf(paths: readonly string[], amount: number): Shot {
  return {
    port: (server.address() as AddressInfo).port,
    host: 'localhost:1',
    callers: 3,
    amount,
    requests: paths.map((path) => get(path)),
    expects: 200,
    pids: [process.pid],
    databaseCpuSeconds: () => 0,
    deadlineMs: 10_000,
  }
}

describe('a measurement by autocannon', () => {
  it('sends each request once when there are as many as answers', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`)
    const sample = await shoot(cannon, shotOf(paths, paths.length))
    expect(seen.toSorted()).toEqual(paths.map((path) => `localhost:1 ${path}`).toSorted())
    expect(sample.perSecond).toBeGreaterThan(0)
    expect(sample.p99Ms).toBeGreaterThanOrEqual(sample.p50Ms)
  })

  it('repeats requests when there are fewer', async () => {
    await shoot(cannon, shotOf(['/a'], 12))
    expect(seen).toEqual(Array.from({ length: 12 }, () => 'localhost:1 /a'))
  })

  it('rejects when an answer has another status', async () => {
    await expect(shoot(cannon, shotOf(['/missing'], 3))).rejects.toThrow('3 answers of 3, 0 lost; 404 {}')
  })
})
