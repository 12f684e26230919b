import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '@/test/programs/free-port'
import { describedVasp } from '@/test/vasp/openapi'
import type { Application } from '../../backend/application'
import { ownOpenApiDocument } from '../../backend/openapi'
import { loadSettings } from '../config'
import { makeLog } from '../log'
import { CONNECTION_LIMITS, makeHttpServer, type Handlers } from './http-server'

const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters' })
const vasp = describedVasp()
const document = ownOpenApiDocument(vasp, settings)
let port = 0
/** A tenth of the server's own limits, because the 408 is sent only when they expire. */
const limits = {
  ...CONNECTION_LIMITS,
  headersTimeout: CONNECTION_LIMITS.headersTimeout / 10,
  connectionsCheckingInterval: CONNECTION_LIMITS.connectionsCheckingInterval / 10,
}

beforeAll(async () => {
  port = await freePort()
  const app = { settings: { ...settings, host: '127.0.0.1', port }, log: makeLog('silent', 'test') } as Application
  await makeHttpServer(app, { vasp, rejectionPage: (): undefined => undefined } as unknown as Handlers, limits).listen(
    () => undefined,
  )
})

async function send(text: string): Promise<{ status: number; type: string | undefined; body: string }> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (data: Buffer) => (answer += data.toString()))
  socket.write(text)
  await once(socket, 'close')
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    type: /^content-type: (.*)$/im.exec(head)?.[1],
    // Node ends a 417 with an empty chunk.
    body: body.replace(/^0$/, ''),
  }
}

const LONG = 'a'.repeat(8 * 1024)
const HOST = 'Host: localhost\r\nConnection: close\r\n'
type Method = 'get' | 'post'

describe('a rejection by the web server is in the API document, with the body that is sent', () => {
  it.each<[number, string, Method, string]>([
    [411, '/balance', 'get', `GET /umanwc/v1/balance HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    [413, '/balance', 'get', `GET /umanwc/v1/balance HTTP/1.1\r\n${HOST}Content-Length: 70000\r\n\r\n`],
    [414, '/receiver/lud16/{receiver_address}', 'get', `GET /umanwc/v1/receiver/lud16/${LONG} HTTP/1.1\r\n${HOST}\r\n`],
    [414, '/invoice', 'post', `POST /umanwc/v1/invoice?${LONG} HTTP/1.1\r\n${HOST}\r\n`],
    [414, '/token', 'post', `POST /umanwc/v1/token?${LONG} HTTP/1.1\r\n${HOST}\r\n`],
    [400, '/balance', 'get', `GET /umanwc/v1/x/../balance HTTP/1.1\r\n${HOST}\r\n`],
    [417, '/invoice', 'post', `POST /umanwc/v1/invoice HTTP/1.1\r\n${HOST}Expect: a-gift\r\n\r\n`],
    [417, '/token', 'post', `POST /umanwc/v1/token HTTP/1.1\r\n${HOST}Expect: a-gift\r\n\r\n`],
    [431, '/balance', 'get', `GET /umanwc/v1/balance HTTP/1.1\r\n${HOST}X: ${LONG}${LONG}\r\n\r\n`],
    [431, '/token', 'post', `POST /umanwc/v1/token HTTP/1.1\r\n${HOST}X: ${LONG}${LONG}\r\n\r\n`],
    [408, '/balance', 'get', `GET /umanwc/v1/balance HTTP/1.1\r\n${HOST}X: `],
  ])('%i at %s %s', async (status, path, method, text) => {
    const answer = await send(text)
    expect(answer.status).toBe(status)
    expectAsDescribed(path, method, answer)
  })

  function expectAsDescribed(path: string, method: Method, answer: Awaited<ReturnType<typeof send>>): void {
    const described = document.paths?.[path]?.[method]?.responses?.[String(answer.status) as '200']
    expect(described).toBeDefined()
    const { content } = described as { content?: Record<string, { schema: { $ref: string } }> }
    expect(answer.type).toBe(content === undefined ? undefined : 'application/json')
    if (content === undefined) return expect(answer.body).toBe('')
    const reference = content['application/json']?.schema.$ref
    const fields = Object.keys(JSON.parse(answer.body) as object)
    expect(fields).toEqual(reference?.endsWith('/TokenExchangeError') === true ? ['error'] : ['code', 'message'])
  }
})

describe('the example addresses of the API document', () => {
  it('are addresses of this VASP', () => {
    const text = JSON.stringify(
      ownOpenApiDocument(
        describedVasp({
          VASP_DOMAIN: 'vasp.example',
          NEXTAUTH_URL: 'https://vasp.example',
          GATEWAY_ROOT_URL: 'https://gateway.example',
          SANDBOX_TOOLS: 'off',
        }),
        { publicOrigin: 'https://vasp.example' },
      ),
    )
    const examples = [...text.matchAll(/"example":"(\$[^"]+)"/g)].map((match) => match[1])
    expect(examples.length).toBeGreaterThan(1)
    for (const example of examples) expect(example).toMatch(/^\$(alice|bob)@vasp\.example$/)
    expect(text).not.toContain('localhost')
  })
})
