import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeLog } from '../log'
import type { ReadinessPorts } from '../readiness'
import { healthResponse, makeAnswerHealth } from './health'

const db = { query: async () => [{ read_only: false }] as never[], answers: {} }
const ports: ReadinessPorts = {
  db,
  log: makeLog('silent', 'test'),
  keys: { signing: {}, verification: [{}] } as never,
  audit: { state: () => 'failed', peers: () => 'ok' },
  node: { state: () => Promise.resolve('ready') },
}
const DETAILS = { ready: false, checks: { books: 'failed' }, version: expect.any(String), commit: expect.any(String) }

const answer = makeAnswerHealth(ports, (authorization) => authorization === 'Operator right')
const server = createServer((request, response) => void answer('/-/ready', request, response))
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => void server.close())

function ask(headers: Readonly<Record<string, string>>): Promise<readonly [number | undefined, unknown]> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, headers }, (response) => {
      json(response).then((body) => resolve([response.statusCode, body]), reject)
    }).once('error', reject)
  })
}

it('says which check fails to a program on the same machine', async () => {
  expect(await ask({})).toMatchObject([503, DETAILS])
})

it.each<Record<string, string>>([
  { 'X-Forwarded-For': '192.0.2.7' },
  { Host: 'sandbox.example' },
  { Host: 'sandbox.example', Authorization: 'Operator wrong' },
])('says only whether all is well to others: %j', async (headers) => {
  expect(await ask(headers)).toEqual([503, { ready: false }])
})

it('says which check fails to an operator who asks through the proxy', async () => {
  const headers = { Host: 'sandbox.example', 'X-Forwarded-For': '192.0.2.7', Authorization: 'Operator right' }
  expect(await ask(headers)).toMatchObject([503, DETAILS])
})

it('keeps the details to an operator in front of Next too', async () => {
  const answers = await Promise.all([false, true].map((isOperator) => healthResponse('/-/ready', ports, isOperator)))
  expect(await Promise.all(answers.map((each) => each.json()))).toMatchObject([{ ready: false }, DETAILS])
  expect(await (await healthResponse('/-/ready', ports, false)).json()).toEqual({ ready: false })
})
