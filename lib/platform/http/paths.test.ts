import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import type { UmaAuthVasp } from 'uma-auth-vasp'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadSettings } from '../config'
import { makeLog } from '../log'
import type { AnswerDocument } from './documents'
import type { AnswerHealth } from './health'
import { makeListener } from './http-server'
import type { RateLimits } from './rate-limits'
import { isApiPath, isNodePath } from './request-validation'

const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters' })
let isFull = false
let reached: string[] = []
const to =
  (where: string) =>
  (path: string): void =>
    void reached.push(`${where} ${path}`)

const vasp = {
  handle: async ({ url }: { url: string }) => {
    to('api')(url.split('?', 1)[0] ?? '')
    return { status: 200, headers: {}, text: '{}' }
  },
} as unknown as UmaAuthVasp
const answerAs =
  (where: string) =>
  async ({ url }: Request): Promise<Response> => {
    to(where)(new URL(url).pathname)
    return new Response('{}')
  }
const health: AnswerHealth = (path, _request, response) => {
  to('health')(path)
  response.end('{}')
  return Promise.resolve()
}
const document: AnswerDocument = async (path) => {
  to('document')(path)
  return { status: 200, headers: {}, body: '{}' }
}
const handlers = {
  vasp,
  lightning: answerAs('node'),
  uma: answerAs('uma'),
  health,
  document,
  rejectionPage: () => undefined,
}
const app = { settings, log: makeLog('silent', 'test'), limits: { isFull: () => isFull } as RateLimits }
const server = createServer(
  makeListener(
    app,
    handlers,
  )((request, response) => {
    to('next')(request.url ?? '')
    response.end('page')
  }),
)

/** Sends the request line unchanged: fetch would normalize the path. */
async function send(path: string, method = 'GET'): Promise<{ status: number; body: string }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let answer = ''
  socket.on('data', (data: Buffer) => (answer += data.toString()))
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost:3000\r\nConnection: close\r\n\r\n`)
  await once(socket, 'close')
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]),
    body: answer.slice(answer.indexOf('\r\n\r\n') + 4),
  }
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
beforeEach(() => {
  reached = []
  isFull = false
})
afterAll(() => void server.close())

const DOTS = ['.', '..', '%2e', '%2E%2e', '.%2e', '%2e.']

describe('a path with a dot segment', () => {
  it.each(
    DOTS.flatMap((dots) => [
      `/umanwc/v1/token/${dots}/balance`,
      `/umanwc/v1/tokenx/${dots}/balance`,
      `/umanwc/v1/invoices/${dots}/balance`,
      `/umanwc/v1/invoices/${dots}%2fbalance`,
      `/umanwc/v1/balance/${dots}`,
      `/x/${dots}/umanwc/v1/balance`,
      `/uma/${dots}/umanwc/v1/balance`,
      `/sandbox-ln/${dots}/umanwc/v1/balance?x`,
      `/sandbox-ln/v1/${dots}/pay`,
      `/login/${dots}\\umanwc/v1/balance`,
      `/login/${dots}%5cumanwc/v1/balance`,
      `/${dots}/login`,
      `/${dots}`,
      `/connect/${dots}#x`,
      `/-/${dots}/ready`,
    ]),
  )('is rejected before routing: GET %s', async (path) => {
    expect((await send(path)).status).toBe(400)
    expect(reached).toEqual([])
  })

  it('is rejected in the format of the API, of UMA or of pages', async () => {
    const message = 'The path has a dot segment (“.” or “..”). Send the path without it.'
    expect(JSON.parse((await send('/umanwc/v1/token/../balance')).body)).toEqual({ code: 'OTHER', message })
    expect(JSON.parse((await send('/uma/./pay')).body)).toMatchObject({ status: 'ERROR', reason: message })
    expect((await send('/./login')).body).toBe(message)
  })

  it.each(['/a.b', '/...', '/.well-known/uma-configuration', '/login?next=/../x', '/login?/./'])(
    'differs from a path with other dots, which passes: %s',
    async (path) => {
      expect((await send(path)).status).toBe(200)
      expect(reached).toEqual([path.startsWith('/.well-known') ? `document ${path}` : `next ${path}`])
    },
  )
})

describe('a public document', () => {
  it.each(['/.well-known/uma-configuration', '/openapi.json', '/openapi.json?from=a-tool'])(
    'is answered in front of Next: GET %s',
    async (path) => {
      expect((await send(path)).status).toBe(200)
      expect(reached).toEqual([`document ${path.split('?', 1)[0]}`])
    },
  )

  it.each(['/openapi.jsonx', '/OpenAPI.json', '/openapi.json.gz', '/x/openapi.json'])(
    'has one spelling: GET %s',
    async (path) => {
      await send(path)
      expect(reached).toEqual([`next ${path}`])
    },
  )

  it('is not answered at its address with a slash, or to other methods', async () => {
    expect((await send('/openapi.json/')).status).toBe(308)
    for (const method of ['POST', 'PUT', 'DELETE', 'TRACE'])
      expect((await send('/openapi.json', method)).status, method).toBe(405)
    expect(reached).toEqual([])
  })
})

describe('a health check', () => {
  it.each(['/-/alive', '/-/serving', '/-/ready', '/-/ready?probe=1'])(
    'is answered in front of Next: GET %s',
    async (path) => {
      isFull = true
      expect((await send(path)).status).toBe(200)
      expect(reached).toEqual([`health ${path.split('?', 1)[0]}`])
    },
  )

  it.each(['/-/readyz', '/-/serving/x', '/-/Ready'])('has one spelling: GET %s', async (path) => {
    await send(path)
    expect(reached).toEqual([`next ${path}`])
  })

  it('is not answered at its address with a slash, which is redirected', async () => {
    expect((await send('/-/ready/')).status).toBe(308)
    expect(reached).toEqual([])
  })

  it.each(['POST', 'PUT', 'DELETE'])('is only read: %s', async (method) => {
    expect((await send('/-/serving', method)).status).toBe(405)
    expect(reached).toEqual([])
  })
})

describe('load shedding', () => {
  it.each([
    '/umanwc/v1/balance',
    '//umanwc/v1/balance',
    '/umanwc/v1/tokenx',
    '/umanwc/v1/token/balance',
    '/umanwc/v1/token/../balance',
    '/umanwc/v1/tokenx/%2e%2e/balance',
  ])('applies to every spelling of an API path: %s', async (path) => {
    isFull = true
    expect([400, 503]).toContain((await send(path)).status)
    expect(reached).toEqual([])
  })

  it('does not apply to the token exchange, which has its own limits', async () => {
    isFull = true
    expect((await send('/umanwc/v1/token?x', 'POST')).status).toBe(200)
    expect(reached).toEqual(['api /umanwc/v1/token'])
  })
})

describe('isApiPath', () => {
  it.each([
    '/umanwc',
    '/umanwc/v1/info',
    '/umanwc?x',
    '/umanwc#x',
    '/UMANWC/v1/info',
    '//umanwc/v1/info',
    '/%75manwc/v1/info',
    '/x/../umanwc/v1/info',
    '/./umanwc/v1/info',
    '/x/%2e%2e/umanwc/v1/info',
    '/x/.%2E/%75manwc/v1/info',
    '/x/..\\umanwc/v1/info',
    '/..//umanwc/v1/info',
  ])('is true for every spelling: %s', (url) => {
    expect(isApiPath(url)).toBe(true)
  })

  it.each(['/', '/umanwcx', '/x/umanwc', '/login?next=/umanwc/v1', '/%E0%A4%A'])(
    'is false for other paths: %s',
    (url) => {
      expect(isApiPath(url)).toBe(false)
    },
  )
})

describe('isNodePath', () => {
  it.each([
    '/sandbox-ln/v1/pay',
    '/sandbox-ln',
    '//SANDBOX-LN/v1/pay',
    '/%73andbox-ln/v1/pay?x',
    '/x/../sandbox-ln/v1/pay',
  ])('is true for every spelling: %s', (url) => {
    expect([isNodePath(url), isApiPath(url)]).toEqual([true, false])
  })

  it.each(['/', '/sandbox-lnx', '/x/sandbox-ln', '/umanwc/v1/info', '/login?next=/sandbox-ln/v1/pay'])(
    'is false for other paths: %s',
    (url) => {
      expect(isNodePath(url)).toBe(false)
    },
  )
})
