import { expect, test } from 'playwright/test'
import { fetchToken } from '../../sandbox/fetch-token'
import { gatewayOrigin, vaspOrigin } from '../support/fixtures'
import { raw, request } from '../../test/stack/raw'

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

test('no method and no Next.js header causes a 5xx, and no response can be framed', async () => {
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

test('pages and forms accept GET, HEAD and POST only, and no server actions', async () => {
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

test('JSON, valid or broken, is not accepted as a form', async () => {
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

test('only the exact address of the login redirect creates a token', async () => {
  const query = `redirect_uri=${encodeURIComponent(`${gatewayOrigin()}/oauth/auth`)}`
  expect((await request(vaspOrigin(), 'GET', `/connect?${query}`)).status).toBe(303)
  for (const path of ['/connect/', '//connect', '/%63onnect', '/Connect', '/connect%2f']) {
    const { status, headers } = await request(vaspOrigin(), 'GET', `${path}?${query}`)
    // Next redirects a doubled slash to the exact address.
    const expected = path === '//connect' ? [308, `/connect?${query}`] : [404, undefined]
    expect([status, headers.get('location')], path).toEqual(expected)
  }
  for (const path of ['/x/../connect', '/./connect']) {
    const { status, headers } = await request(vaspOrigin(), 'GET', `${path}?${query}`)
    expect([status, headers.get('location')], path).toEqual([400, undefined])
  }
})

test('the API rejects two tokens, and a path with a dot segment', async () => {
  const vasp = { vaspOrigin: vaspOrigin(), gatewayRootUrl: gatewayOrigin(), instance: 'northbank' }
  const user = { ...vasp, username: 'alice', password: 'sandbox' }
  const good = `Authorization: Bearer ${await fetchToken({ ...user, permissions: ['get_info'] })}`
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

test('the theme switch leads back only to a page of this site, even if the request names another site', async () => {
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
