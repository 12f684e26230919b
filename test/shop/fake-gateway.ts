import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'

/** A VASP and a gateway in one for tests: discovery, and a token endpoint that answers as told. */
export interface FakeGateway {
  readonly port: number
  readonly address: string
  /** What the token endpoint was sent, newest last. */
  readonly asked: URLSearchParams[]
  readonly revoked: URLSearchParams[]
  /** The next answers of the token endpoint: status and body. */
  token: readonly [status: number, body: object | string]
  discovery: () => object | string
  /** Status of the authorization endpoint. */
  authorizes: 302 | 400 | 500
  readonly close: () => Promise<void>
}

export async function fakeGateway(port = 0): Promise<FakeGateway> {
  const app = new Hono()
  const server = createServer((request, response) => void getRequestListener(app.fetch)(request, response))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const own = (server.address() as AddressInfo).port
  const origin = `http://127.0.0.1:${own}`
  const fake: FakeGateway = {
    port: own,
    address: `$alice@127.0.0.1:${own}`,
    asked: [],
    revoked: [],
    token: [500, 'not told yet'],
    discovery: () => ({
      authorization_endpoint: `${origin}/oauth/auth`,
      token_endpoint: `${origin}/oauth/token`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      code_challenge_methods_supported: ['S256'],
    }),
    authorizes: 302,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  const answer = (status: number, body: object | string): Response =>
    typeof body === 'string' ? new Response(body, { status }) : Response.json(body, { status })
  app.get('/.well-known/uma-configuration', () => answer(200, fake.discovery()))
  app.get('/oauth/auth', () => answer(fake.authorizes, 'as it was told'))
  app.post('/oauth/token', async (context) => {
    fake.asked.push(new URLSearchParams(await context.req.text()))
    return answer(...fake.token)
  })
  app.post('/oauth/revoke', async (context) => {
    fake.revoked.push(new URLSearchParams(await context.req.text()))
    return new Response(null, { status: 200 })
  })
  return fake
}
