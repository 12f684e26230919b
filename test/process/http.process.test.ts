import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchLoginToken, fetchToken, signIn } from '../../sandbox/shared/fetch-token'
import { startProcess, stopProcess, untilAnswers } from '../../sandbox/shared/processes'
import { ensureSettings } from '../../sandbox/shared/settings'
import { migratedDataDir } from '../databases/migrated'
import { freePort } from '../programs/free-port'
import { raw, request } from '../stack/raw'
import { startStack, userOf, type Stack } from '../stack/stack'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({}, 'server.js', { alone: true })
})
afterAll(() => stack?.stop())

const vaspOrigin = (): string => stack.vaspOrigin
const gatewayOrigin = (): string => stack.gatewayOrigin
const user = (username?: string) => userOf(stack, username)

/** The status of the answer to raw bytes. */
const statusOf = async (text: string): Promise<number> => (await raw(vaspOrigin(), text)).status

const host = (): string => new URL(vaspOrigin()).host

/** Why a server with these settings did not start. */
async function startWith(changed: Readonly<Record<string, string>>): Promise<string> {
  const folder = await migratedDataDir()
  const port = await freePort()
  const settings = ensureSettings({ name: 'Northbank', port, gatewayRootUrl: 'http://localhost:8080' }, folder)
  const { DATABASE_URL: _database, ...inherited } = process.env
  const env = { ...inherited, ...settings, NODE_ENV: 'production' as const, ...changed }
  const server = startProcess('VASP', ['server.js'], env)
  try {
    await untilAnswers(server, `http://localhost:${port}/-/alive`)
    return 'it started'
  } catch (error) {
    return String(error)
  } finally {
    await stopProcess(server)
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('a server on HTTP', () => {
  it('a look-alike redirect_uri gets a plain 400, creates no token and shows no sign-in page, signed in or not', async () => {
    const uri = `${gatewayOrigin()}@evil.example/auth/vasp_token_callback`
    for (const headers of [new Headers(), new Headers({ Cookie: await signIn(user()) })]) {
      const response = await fetch(`${vaspOrigin()}/connect?redirect_uri=${encodeURIComponent(uri)}`, {
        headers,
        redirect: 'manual',
      })
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      expect(await response.text()).toBe('Invalid redirect_uri')
    }
  })

  it('a missing, empty or repeated redirect_uri is refused', async () => {
    const good = encodeURIComponent(`${gatewayOrigin()}/auth/vasp_token_callback`)
    for (const query of [
      '',
      'redirect_uri=',
      `redirect_uri=${good}&redirect_uri=https://evil.example`,
      `redirect_uri=${good}&redirect_uri=${good}`,
      'pending=forged',
    ]) {
      const response = await fetch(`${vaspOrigin()}/connect?${query}`, { redirect: 'manual' })
      expect(response.status, query).toBe(400)
      expect(await response.text()).toBe('Invalid redirect_uri')
    }
  })

  it('a login redirects with one token and one currency, and its answer is not cached', async () => {
    const cookie = await signIn(user())
    const uri = `${gatewayOrigin()}/oauth/auth?state=&token=attacker&currency=x&scope=a%20b`
    const response = await fetch(`${vaspOrigin()}/connect?redirect_uri=${encodeURIComponent(uri)}`, {
      headers: { Cookie: cookie },
      redirect: 'manual',
    })
    expect(response.status).toBe(303)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    const to = new URL(response.headers.get('location') ?? '')
    expect(to.href.startsWith(`${gatewayOrigin()}/oauth/auth?state=&scope=a%20b&token=`)).toBe(true)
    expect(to.searchParams.getAll('token')).toHaveLength(1)
    expect(JSON.parse(to.searchParams.get('currency') ?? '')).toEqual({
      code: 'USD',
      symbol: '$',
      name: 'US Dollar',
      decimals: 2,
    })
  })

  it('only GET starts a login', async () => {
    const cookie = await signIn(user())
    const url = `${vaspOrigin()}/connect?redirect_uri=${encodeURIComponent(`${gatewayOrigin()}/oauth/auth`)}`
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(url, { method, headers: { Cookie: cookie }, redirect: 'manual' })
      expect([response.status, response.headers.get('allow'), response.headers.get('location')], method).toEqual([
        405,
        'GET',
        null,
      ])
    }
  })

  it('more than sixty logins a minute from one session are rate limited', async () => {
    const cookie = await signIn({ ...user('penny') })
    const url = `${vaspOrigin()}/connect?redirect_uri=${encodeURIComponent(`${gatewayOrigin()}/oauth/auth`)}`
    const login = async (): Promise<number> =>
      (await fetch(url, { headers: { Cookie: cookie }, redirect: 'manual' })).status
    const startedAt = Date.now()
    let accepted = 0
    let status = await login()
    while (status === 303 && accepted < 200) {
      accepted++
      status = await login()
    }
    // Each second since the first login allows one more.
    const allowed = 60 + Math.floor((Date.now() - startedAt) / 1_000)
    expect(accepted).toBeGreaterThanOrEqual(60)
    expect(accepted).toBeLessThanOrEqual(allowed)
    expect(status).toBe(429)
  })

  it('forms from other sites change nothing: a foreign, null or missing Origin is refused', async () => {
    const cookie = await signIn(user())
    for (const path of [
      '/connections/revoke',
      '/connections/revoke-today',
      '/connections/revoke-unused',
      '/connections/rename',
      '/logout',
      '/settings/keys',
      '/settings/wallet',
      '/settings/zone',
      '/theme',
      '/wallets/faucet',
      '/wallets/convert/book',
      '/wallets/convert/price',
      '/wallets/receive/make',
      '/wallets/send/confirm',
      '/wallets/send/quote',
      '/wallets/send/pay',
      '/wallets/send/uma',
      '/wallets/receive/uma',
      '/requests/decline',
      '/api/auth/callback/credentials',
      '/api/auth/signout',
    ]) {
      for (const origin of ['https://evil.example', 'null', gatewayOrigin(), undefined]) {
        const headers = {
          Cookie: cookie,
          'Content-Type': 'application/x-www-form-urlencoded',
          ...(origin === undefined ? {} : { Origin: origin }),
        }
        const response = await fetch(`${vaspOrigin()}${path}`, {
          method: 'POST',
          headers,
          body: 'id=x&name=y',
          redirect: 'manual',
        })
        expect(response.status, `${path} from ${origin}`).toBe(403)
      }
    }
    const still = await fetch(`${vaspOrigin()}/connections`, { headers: { Cookie: cookie }, redirect: 'manual' })
    expect(still.status).toBe(200)
  })

  it('pages cannot be framed, are not cached, and run only their own scripts', async () => {
    for (const path of ['/', '/login', '/nothing-here']) {
      const { headers } = await fetch(`${vaspOrigin()}${path}`)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain(`form-action 'self' ${gatewayOrigin()}`)
      expect(policy).not.toContain('unsafe')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toContain('no-store')
      expect(headers.get('x-powered-by')).toBeNull()
    }
  })

  it('cookies have the instance in their name and are not accessible to scripts or other sites', async () => {
    const { headers } = await fetch(`${vaspOrigin()}/login`)
    const cookies = headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^northbank\./)
      expect(cookie.toLowerCase()).toContain('httponly')
      expect(cookie.toLowerCase()).toContain('samesite=lax')
    }
  })

  it('internal headers and unusual spellings of a path open no protected route', async () => {
    const headers = {
      'x-middleware-subrequest': Array(5).fill('proxy').join(':'),
      RSC: '1',
      'next-router-segment-prefetch': '/_tree',
    }
    for (const path of ['/umanwc/v1/info', '/umanwc/v1/info?_rsc=x', '/umanwc/v1/transactions']) {
      expect((await fetch(`${vaspOrigin()}${path}`, { headers })).status, path).toBe(401)
    }
    for (const path of ['/connections', '/connections?_rsc=x', '/connections.rsc', '/connections/fresh']) {
      const response = await fetch(`${vaspOrigin()}${path}`, { headers, redirect: 'manual' })
      expect(await response.text(), path).not.toContain('Revoke')
    }
    for (const path of ['/UMANWC/v1/info', '//umanwc/v1/info', '/%75manwc/v1/info', '/umanwc/v1/info/']) {
      expect([401, 404, 421], path).toContain((await fetch(`${vaspOrigin()}${path}`)).status)
    }
  })

  it('forged Host headers change no published address', async () => {
    expect(
      await statusOf(`GET /.well-known/uma-configuration HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`),
    ).toBe(421)
    expect(await statusOf(`GET /login HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`)).toBe(421)
    const headers = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' }
    expect(await (await fetch(`${vaspOrigin()}/.well-known/uma-configuration`, { headers })).text()).not.toContain(
      'evil',
    )
    const response = await fetch(`${vaspOrigin()}/connections`, { headers, redirect: 'manual' })
    expect(response.headers.get('location') ?? '').not.toContain('evil')
  })

  it('oversized and malformed requests are refused early', async () => {
    const large = 'x'.repeat(70_000)
    const token = await fetchLoginToken(user())
    const exchange = await fetch(`${vaspOrigin()}/umanwc/v1/token`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: large,
    })
    expect(exchange.status).toBe(413)
    expect(
      (await fetch(`${vaspOrigin()}/logout`, { method: 'POST', body: large, headers: { Origin: vaspOrigin() } }))
        .status,
    ).toBe(413)
    expect((await fetch(`${vaspOrigin()}/login?x=${'y'.repeat(9_000)}`)).status).toBe(414)
    expect(await statusOf(`GET / HTTP/1.1\r\nHost: ${host()}\r\nX: ${'z'.repeat(64_000)}\r\n\r\n`)).toBe(431)
    expect(await statusOf(`GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`)).toBe(400)
    expect(
      await statusOf(
        `POST /logout HTTP/1.1\r\nHost: ${host()}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
      ),
    ).toBe(411)
    expect(
      await statusOf(`GET /x HTTP/1.1\r\nHost: ${host()}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`),
    ).toBe(426)
  })

  it('discovery is readable from any origin and advertises what is implemented', async () => {
    const response = await fetch(`${vaspOrigin()}/.well-known/uma-configuration`)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const document = (await response.json()) as Record<string, unknown>
    expect(document).toMatchObject({
      name: 'Northbank',
      uma_major_versions: [1, 0],
      uma_request_endpoint: `${vaspOrigin()}/uma/request`,
      authorization_endpoint: `${gatewayOrigin()}/oauth/auth`,
      token_endpoint: `${gatewayOrigin()}/oauth/token`,
      grant_types_supported: ['authorization_code'],
      code_challenge_methods_supported: ['S256'],
      connection_management_endpoint: `${gatewayOrigin()}/connection/<connection_id>`,
      revocation_endpoint: `${gatewayOrigin()}/oauth/revoke`,
    })
    const token = await fetchToken({ ...user(), permissions: ['get_info'] })
    const info = (await (
      await fetch(`${vaspOrigin()}/umanwc/v1/info`, { headers: { Authorization: `Bearer ${token}` } })
    ).json()) as { methods: string[] }
    expect(document.nwc_commands_supported).toEqual(info.methods)
  })

  it('no page, script or document holds a secret or a source map', async () => {
    const canaries = [
      'PRIVATE KEY',
      'NEXTAUTH_SECRET',
      'LIGHTNING_NODE_KEY',
      'UMA_SIGNING_KEY',
      'UMA_ENCRYPTION_KEY',
      'scrypt$',
      'sourceMappingURL',
    ]
    const home = await (await fetch(vaspOrigin())).text()
    const scripts = [...home.matchAll(/\/_next\/static\/[^"'\\ ]+\.js/g)].map(([path]) => path)
    expect(scripts.length).toBeGreaterThan(0)
    for (const path of [
      '/',
      '/login',
      '/openapi.json',
      '/-/ready',
      '/.well-known/uma-configuration',
      '/.well-known/lnurlpubkey',
      '/.well-known/lnurlp/bob',
      ...new Set(scripts),
    ]) {
      const text = await (await fetch(`${vaspOrigin()}${path}`)).text()
      for (const canary of canaries) expect(text.includes(canary), `${path} holds ${canary}`).toBe(false)
    }
  })

  it('a wrong setting stops the start with one line that names the variable', async () => {
    // HOST is checked last, after the database is created and the pages are loaded.
    for (const [variable, value] of [
      ['NEXTAUTH_SECRET', 'short'],
      ['HOST', 'no-such-host.invalid'],
    ] as const) {
      const failure = await startWith({ [variable]: value, SANDBOX_TOOLS: 'off' })
      expect(failure).toContain(`${variable} `)
      expect(failure).not.toContain('    at ')
    }
  })

  it('a thousand bad tokens are refused while a valid one is answered', async () => {
    const token = await fetchToken({ ...user(), permissions: ['get_info'] })
    const ask = async (bearer: string): Promise<number> =>
      (await fetch(`${vaspOrigin()}/umanwc/v1/info`, { headers: { Authorization: `Bearer ${bearer}` } })).status
    const flood = Promise.all(Array.from({ length: 1_000 }, (_, index) => ask(`${token}${index}`)))
    const goodStatus = await ask(token)
    expect(new Set(await flood)).toEqual(new Set([401]))
    expect(goodStatus).toBe(200)
  })
})

// Requests that no browser and no gateway sends. None may get a 5xx, create a token, or be open to framing.

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY']
const PATHS = [
  '/',
  '/login',
  '/connect',
  '/connections',
  '/connections/fresh',
  '/icon.svg',
  '/nothing.html',
  '/no/such/page',
  '/umanwcx',
  '/api/foo',
  '/api/auth/csrf',
  '/api/auth/session',
  '/api/auth/providers',
  '/api/auth/verify-request',
  '/api/auth/callback/credentials',
  '/api/auth/_log',
  '/api/auth/%E0%A4%A',
  '/-/alive',
  '/-/foo',
  '/.well-known/foo',
  '/_global-error',
  '/_not-found',
  '/_next/static/nothing.js',
  '/_next/image?url=%2Ficon.svg&w=64&q=75',
  '/umanwc/v1/info',
]
const STATE_HEADERS = [
  [],
  ['RSC: 1', 'Next-Router-State-Tree: %5B%22%22%2C%7B%7D%5D', 'Next-Router-Prefetch: 7', 'Next-Url: //evil.example'],
  ['RSC: 1', 'Next-Router-Segment-Prefetch: /../..', 'Next-Router-Prefetch: 1'],
  ['Next-Action: x', 'Content-Type: text/plain'],
]

describe('odd requests', () => {
  it('no method and no Next.js header causes a 5xx, and no response can be framed', async () => {
    const requests = PATHS.flatMap((path) => [
      ...METHODS.map((method) => [method, path, []] as const),
      ...STATE_HEADERS.map((lines) => ['GET', path, lines] as const),
    ])
    for (const [method, path, lines] of requests) {
      const { status, headers } = await request(vaspOrigin(), method, path, lines)
      const what = `${method} ${path} ${lines.join(', ')}`
      expect(status, what).toBeGreaterThanOrEqual(200)
      expect(status, what).toBeLessThan(500)
      if (status === 405) expect(headers.get('allow'), what).toBeTruthy()
      expect(headers.get('x-frame-options'), what).toBe('DENY')
      expect(headers.get('x-content-type-options'), what).toBe('nosniff')
      expect(headers.get('content-security-policy') ?? '', what).toContain("frame-ancestors 'none'")
    }
  })

  it('pages and forms accept GET, HEAD and POST only, and no server actions', async () => {
    for (const path of ['/', '/login', '/connections', '/no-such-page']) {
      for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        const { status, headers } = await request(vaspOrigin(), method, path, ['Content-Length: 0'])
        expect([status, headers.get('allow')], `${method} ${path}`).toEqual([405, 'GET, HEAD, POST'])
      }
      for (const line of ['Next-Action: x', 'Content-Type: multipart/form-data; boundary=x'])
        expect((await request(vaspOrigin(), 'POST', path, ['Content-Length: 0', line])).status, `${path} ${line}`).toBe(
          415,
        )
    }
  })

  it('JSON, valid or broken, is not accepted as a form', async () => {
    for (const path of ['/api/auth/callback/credentials', '/api/auth/csrf', '/api/auth/_log', '/api/auth/x']) {
      for (const type of [
        'application/json',
        'application/x-www-form-urlencoded; x=application/json',
        'text/plain',
        '',
      ]) {
        for (const body of ['{', '{"username":{"trim":1},"password":"canary"}', '']) {
          const response = await fetch(`${vaspOrigin()}${path}`, {
            method: 'POST',
            headers: { Origin: vaspOrigin(), ...(type === '' ? {} : { 'Content-Type': type }) },
            body,
            redirect: 'manual',
          })
          expect([404, 415], `${path} ${type} ${body}`).toContain(response.status)
          expect(await response.text()).not.toContain('canary')
        }
      }
    }
  })

  it('only the exact address of the login redirect creates a token', async () => {
    const query = `redirect_uri=${encodeURIComponent(`${gatewayOrigin()}/oauth/auth`)}`
    expect((await request(vaspOrigin(), 'GET', `/connect?${query}`)).status).toBe(303)
    const exact = `/connect?${query}`
    for (const [path, ...expected] of [
      ['/connect/', 308, exact],
      ['//connect', 308, exact],
      ['/Connect', 404, undefined],
      ['/%63onnect', 400, undefined],
      ['/connect%2f', 400, undefined],
      ['/x/../connect', 400, undefined],
      ['/./connect', 400, undefined],
    ]) {
      const { status, headers } = await request(vaspOrigin(), 'GET', `${path}?${query}`)
      expect([status, headers.get('location')], String(path)).toEqual(expected)
    }
  })

  it('the API rejects two tokens, and a path with a dot segment', async () => {
    const good = `Authorization: Bearer ${await fetchToken({ ...user(), permissions: ['get_info'] })}`
    const bad = 'Authorization: Bearer a.b.c'
    const ask = async (path: string, ...lines: string[]): Promise<number> =>
      (await request(vaspOrigin(), 'GET', path, lines)).status
    const path = '/umanwc/v1/info'
    for (const [lines, status] of [
      [[good], 200],
      [[good, bad], 401],
      [[bad, good], 401],
      [[good, good], 401],
      [[], 401],
      [[good, 'Content-Length: 100000000'], 413],
      [[good, 'Transfer-Encoding: chunked'], 411],
    ] as const)
      expect(await ask(path, ...lines), lines.join()).toBe(status)
    for (const dotted of [
      '/x/../umanwc/v1/info',
      '/./umanwc/v1/info',
      '/x/%2e%2e/umanwc/v1/info',
      '/umanwc/v1/invoices/..%2Finfo',
    ])
      expect(await ask(dotted, good), dotted).toBe(400)
    const twoHosts = `GET / HTTP/1.1\r\nHost: ${new URL(vaspOrigin()).host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`
    expect((await raw(vaspOrigin(), twoHosts)).status).toBe(400)
  })

  it('the theme switch leads back only to a page of this site, even if the request names another site', async () => {
    for (const back of [
      '/.//evil.example',
      '/x/..//evil.example',
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '',
    ]) {
      const response = await fetch(`${vaspOrigin()}/theme`, {
        method: 'POST',
        headers: { Origin: vaspOrigin() },
        body: new URLSearchParams({ theme: 'dark', back }),
        redirect: 'manual',
      })
      expect(response.status).toBe(303)
      expect(new URL(response.headers.get('location') ?? '', vaspOrigin()).origin, back).toBe(vaspOrigin())
    }
  })
})
