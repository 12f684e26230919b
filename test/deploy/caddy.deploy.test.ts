import { createServer, get, request as send, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { startCaddy } from '../programs/caddy'
import { missingPackages } from '../programs/debian'
import { freePort } from '../programs/free-port'

it('browsers use only https for the public name of a sandbox, and may use http at localhost', async ({ skip }) => {
  const missing = missingPackages(['caddy'])
  if (missing !== undefined) return skip(missing)
  const [instancePort, port] = [await freePort(), await freePort()]
  const instance = createServer((_, response) => response.end('ok'))
  await new Promise<void>((resolve) => instance.listen(instancePort, '127.0.0.1', resolve))
  const caddy = await startCaddy({ site: `:${port}`, upstreams: [instancePort] })
  try {
    const policyFor = async (host: string): Promise<unknown> =>
      (await headersOf(port, host))['strict-transport-security']
    expect(await policyFor('sandbox.example')).toBe('max-age=31536000')
    expect(await policyFor('localhost')).toBeUndefined()
    expect(await policyFor(`localhost:${port}`)).toBeUndefined()
  } finally {
    await caddy.stop()
    instance.close()
    instance.closeAllConnections()
  }
})

it('the gateway cannot be framed and takes small bodies, and only the relay’s own address is public', async ({
  skip,
}) => {
  const missing = missingPackages(['caddy'])
  if (missing !== undefined) return skip(missing)
  const behind = createServer((request, response) => {
    request
      .resume()
      .on('end', () => response.end(`answered ${request.url}`))
      .on('error', () => response.destroy())
  })
  const relay = new WebSocketServer({ server: behind })
  relay.on('connection', (socket) => socket.on('message', (message) => socket.send(message)))
  const [upstream, port] = [await freePort(), await freePort()]
  await new Promise<void>((resolve) => behind.listen(upstream, '127.0.0.1', resolve))
  const name = (host: string): string => `http://${host}.localhost:${port}`
  const caddy = await startCaddy({
    site: `:${port}`,
    upstreams: [upstream],
    gateway: { GATEWAY: { site: name('gateway'), upstream }, RELAY: { site: name('relay'), upstream } },
  })
  try {
    const ask = (host: string, path: string, body?: string): Promise<Answer> =>
      answerTo({ port, path, host: `${host}.localhost`, ...(body === undefined ? {} : { body }) })
    const page = await ask('gateway', '/apps/new?token=secret')
    expect(page).toMatchObject({ status: 200, text: 'answered /apps/new?token=secret' })
    expect(page.headers).toMatchObject({
      'content-security-policy': "frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    })
    expect((await ask('gateway', '/api/app', 'x'.repeat(60_000))).status).toBe(200)
    expect((await ask('gateway', '/api/app', 'x'.repeat(70_000))).status).not.toBe(200)
    expect(await ask('relay', '/')).toMatchObject({ status: 200, text: 'answered /' })
    for (const path of ['/metrics', '/join', '/lnbits', '/terms', '/account', '/x'])
      expect([path, (await ask('relay', path)).status]).toEqual([path, 404])
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host: 'relay.localhost' } })
    const echoed = new Promise((resolve) => socket.on('message', (message: Buffer) => resolve(message.toString())))
    socket.on('open', () => socket.send('["REQ"]'))
    expect(await echoed).toBe('["REQ"]')
    socket.terminate()
  } finally {
    await caddy.stop()
    relay.close()
    behind.close()
    behind.closeAllConnections()
  }
})

it('a sign-in of an app ends where it began: a changed app or redirect address does not reach the gateway', async ({
  skip,
}) => {
  const missing = missingPackages(['caddy'])
  if (missing !== undefined) return skip(missing)
  // As the gateway: it sends a browser to the VASP when the app and its address are registered, and does not look again.
  const behind = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://gateway')
    const begins = pathname === '/oauth/auth' && !searchParams.has('token')
    if (begins && searchParams.get('redirect_uri')?.startsWith('https://app.example/') !== true)
      return void response.writeHead(403).end()
    if (begins)
      return void response.writeHead(302, { Location: 'https://vasp.example/connect', 'X-From': 'gateway' }).end('go')
    response.end(`reached ${pathname}`)
  })
  const [upstream, port] = [await freePort(), await freePort()]
  await new Promise<void>((resolve) => behind.listen(upstream, '127.0.0.1', resolve))
  const caddy = await startCaddy({
    site: `:${port}`,
    upstreams: [upstream],
    gateway: {
      GATEWAY: { site: `http://gateway.localhost:${port}`, upstream },
      RELAY: { site: `http://relay.localhost:${port}`, upstream },
    },
  })
  const APP = { client_id: 'npub1app wss://relay.example', redirect_uri: 'https://app.example/callback?x=1&y=2' }
  const EVIL = { client_id: 'npub1evil wss://relay.example', redirect_uri: 'https://evil.example/' }
  type Query = Readonly<Partial<typeof APP> & { token?: string; code?: string }>
  const ask = (path: string, query: Query, cookie?: string): Promise<Answer> =>
    answerTo({
      port,
      host: 'gateway.localhost',
      path: `${path}?${new URLSearchParams(query)}`,
      ...(cookie === undefined ? {} : { cookie }),
    })
  try {
    const began = await ask('/oauth/auth', APP)
    expect(began).toMatchObject({
      status: 302,
      text: 'go',
      headers: { location: 'https://vasp.example/connect', 'x-from': 'gateway' },
    })
    const set = began.headers['set-cookie'] ?? []
    for (const each of set) expect(each).toMatch(/; Path=\/; Max-Age=900; Secure; HttpOnly; SameSite=Lax$/)
    const cookie = set.map((each) => each.split(';', 1)[0]).join('; ')
    const refused = await ask('/oauth/auth', EVIL)
    expect([refused.status, refused.headers['set-cookie']]).toEqual([403, undefined])

    const token = 'login-token'
    expect(await ask('/oauth/auth', { ...APP, token }, cookie)).toMatchObject({ text: 'reached /oauth/auth' })
    expect(await ask('/apps/new', { ...APP, token }, cookie)).toMatchObject({ text: 'reached /apps/new' })
    for (const path of ['/oauth/auth', '/apps/new', '/Apps/New', '//apps/new', '/apps/new/', '/'])
      for (const [changed, given] of [
        [{ ...APP, redirect_uri: EVIL.redirect_uri }, cookie],
        [{ ...APP, client_id: EVIL.client_id }, cookie],
        [{ ...APP, redirect_uri: `${APP.redirect_uri}x` }, cookie],
        [APP, undefined],
        [APP, 'app=; app_redirect='],
      ] as const)
        expect([path, changed, (await ask(path, { ...changed, token }, given)).status]).toEqual([path, changed, 403])
    // What has no app in its address is not the sign-in of an app.
    for (const path of ['/', '/connection/new', '/auth/vasp_token_callback', '/assets/index.js'])
      expect(await ask(path, { token })).toMatchObject({ status: 200, text: `reached ${path}` })
    const exchange = { port, host: 'gateway.localhost', path: '/oauth/token', body: String(new URLSearchParams(APP)) }
    expect(await answerTo(exchange)).toMatchObject({ status: 200, text: 'reached /oauth/token' })
    expect(await answerTo({ ...exchange, path: `/oauth/token?${exchange.body}` })).toMatchObject({ status: 200 })
  } finally {
    await caddy.stop()
    behind.close()
    behind.closeAllConnections()
  }
})

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}
interface Question {
  readonly port: number
  readonly host: string
  readonly path: string
  readonly body?: string
  readonly cookie?: string
}

function answerTo({ port, host, path, body, cookie }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { host, ...(cookie === undefined ? {} : { cookie }) },
    }
    send(options, (response) => {
      text(response).then(
        (content) => resolve({ status: response.statusCode, headers: response.headers, text: content }),
        reject,
      )
    })
      .on('error', reject)
      .end(body)
  })
}

function headersOf(port: number, host: string): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, headers: { host } }, (response) => {
      response.resume()
      resolve(response.headers)
    }).on('error', reject)
  })
}
