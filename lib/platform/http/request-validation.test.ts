import { describe, expect, it } from 'vitest'
import { rejectMalformed } from './request-validation'

const settings = { publicOrigin: 'http://localhost:3000' } as const
const validate = (url: string | undefined, headers: Record<string, string> = {}, method = 'GET') =>
  rejectMalformed(
    { url, method, headers: { host: 'localhost:3000', ...headers }, rawHeaders: Object.entries(headers).flat() },
    settings,
  )
const statusOf = (...request: Parameters<typeof validate>): number | undefined => validate(...request)?.status

describe('request validation', () => {
  it('passes requests for pages and the API', () => {
    for (const url of ['/', '/login', '/connect?redirect_uri=x', '/umanwc/v1/info', '/.well-known/uma-configuration'])
      expect(statusOf(url)).toBeUndefined()
  })

  it.each(['http://evil.com/', '*', 'localhost:3000', '', undefined])(
    'rejects the request line %j: this server is not a proxy',
    (url) => {
      expect(statusOf(url)).toBe(400)
    },
  )

  it('rejects a wrong or missing Host for pages', () => {
    for (const host of ['evil.com', 'localhost', 'localhost:3001', '']) expect(statusOf('/', { host })).toBe(421)
    expect(rejectMalformed({ url: '/', method: 'GET', headers: {}, rawHeaders: [] }, settings)?.status).toBe(421)
  })

  it('accepts any Host for the API and the health checks, which are called by internal names', () => {
    for (const url of ['/umanwc/v1/info', '/-/alive', '/-/ready'])
      expect(statusOf(url, { host: 'vasp.internal' })).toBeUndefined()
  })

  it('ignores X-Forwarded-Host', () => {
    expect(statusOf('/', { host: 'evil.com', 'x-forwarded-host': 'localhost:3000' })).toBe(421)
  })

  it('rejects an address over 8 kB, for the API too', () => {
    expect(statusOf(`/${'a'.repeat(8 * 1024)}`)).toBe(414)
    expect(statusOf(`/umanwc/v1/${'a'.repeat(8 * 1024)}`)).toBe(414)
    expect(statusOf(`/${'a'.repeat(8 * 1024 - 1)}`)).toBeUndefined()
  })

  it('rejects a form over 64 kB and one of unknown length', () => {
    expect(statusOf('/logout', { 'content-length': String(64 * 1024) }, 'POST')).toBeUndefined()
    expect(statusOf('/logout', { 'content-length': String(64 * 1024 + 1) }, 'POST')).toBe(413)
    expect(statusOf('/logout', { 'transfer-encoding': 'chunked' }, 'POST')).toBe(411)
  })

  it('passes POST bodies of any announced size to the API, which has its own limit', () => {
    expect(statusOf('/umanwc/v1/token', { 'content-length': '10000000' }, 'POST')).toBeUndefined()
    expect(statusOf('/umanwc/v1/token', { 'transfer-encoding': 'chunked' }, 'POST')).toBeUndefined()
  })

  it.each(['GET', 'HEAD'])('rejects a large body of a %s request, for the API too', (method) => {
    for (const url of ['/', '/umanwc/v1/info', '//umanwc/v1/info']) {
      expect(statusOf(url, { 'content-length': '100000000' }, method)).toBe(413)
      expect(statusOf(url, { 'transfer-encoding': 'chunked' }, method)).toBe(411)
    }
    expect(statusOf('/umanwc/v1/info', { 'content-length': '0' }, method)).toBeUndefined()
  })

  it.each([
    ['/login', 'PUT', 'GET, HEAD, POST'],
    ['/login', 'TRACE', 'GET, HEAD, POST'],
    ['/icon.svg', 'PROPFIND', 'GET, HEAD'],
    ['/_next/static/chunks/04~a.b-c_d.js', 'POST', 'GET, HEAD'],
    ['/api/auth/csrf', 'QUERY', 'GET, HEAD, POST'],
    ['/.well-known/uma-configuration', 'POST', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'PUT', 'GET, HEAD, OPTIONS'],
    ['/connect', 'HEAD', 'GET'],
    ['/connect', 'POST', 'GET'],
    ['/sandbox/users', 'DELETE', 'POST'],
    ['/sandbox/users/calm-otter', 'POST', 'DELETE'],
    ['/sandbox/users/calm-otter/reset', 'GET', 'POST'],
    ['/sandbox/faults/7', 'POST', 'DELETE'],
  ])('rejects a method that the path does not accept: %s %s', (url, method, allow) => {
    expect(validate(url, {}, method)).toMatchObject({ status: 405, headers: { Allow: allow } })
  })

  it.each(['/.well-known/uma-configuration', '/openapi.json'])('lets a preflight of %s pass', (url) => {
    expect(validate(url, {}, 'OPTIONS')).toBeUndefined()
  })

  it.each(['/_global-error', '/_next/image?url=x', '/_next/data/x/index.json', '/_error'])(
    'rejects Next’s internal path %s',
    (url) => {
      expect(statusOf(url)).toBe(404)
    },
  )

  it('rejects a path with a malformed escape', () => {
    for (const url of ['/api/auth/%E0%A4%A', '/%', '/%zz']) expect(statusOf(url)).toBe(400)
  })

  it.each([
    '/api/auth/callback/c%72edentials',
    '/api/auth/%63allback/credentials',
    '/api/auth/callback%2Fcredentials',
    '/api/auth/callback%2fcredentials?x=1',
    '/api/auth%5ccallback/credentials',
    '/api/auth\\callback/credentials',
    '/api/auth/callback/credentials#x',
    '/api/auth/callback/credential%2573',
    '/c%6Fnnect',
    '/ev%65nts?after=1',
    '/%5Fnext/image?url=x',
    '/sandbox/%75sers/alice/reset',
    '/%2d/alive',
  ])('rejects %s, another spelling of a page, with any method', (url) => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) expect(statusOf(url, {}, method)).toBe(400)
  })

  it.each([
    ['/login/', '/login'],
    ['/connect/?redirect_uri=https://x/y%2Fz&a=//', '/connect?redirect_uri=https://x/y%2Fz&a=//'],
    ['//evil.example/', '/evil.example'],
    ['/developers//wire///7', '/developers/wire/7'],
    ['//', '/'],
    ['/api/auth/callback/credentials/', '/api/auth/callback/credentials'],
  ])('redirects a browser from %s to %s, and refuses a form there', (url, location) => {
    for (const method of ['GET', 'HEAD'])
      expect(validate(url, {}, method)).toMatchObject({ status: 308, headers: { Location: location } })
    for (const method of ['POST', 'DELETE']) expect(statusOf(url, {}, method)).toBe(404)
  })

  it('passes escapes that a path needs', () => {
    for (const url of [
      '/_next/static/chunks/%5Bid%5D/page-%28x%29.js',
      '/caf%C3%A9',
      '/a%20b',
      '/%24alice',
      '/$alice',
      '/a~b',
    ])
      expect(statusOf(url)).toBeUndefined()
    for (const url of ['/login?back=%2Fw%61llets#', '/login?%23'])
      expect(statusOf(url)).toBe(url.includes('#') ? 400 : undefined)
  })

  it.each([
    'x',
    '%7B',
    '%',
    '[]',
    '["",{}',
    '["",{},"","refetch",5]',
    '[["a","b"],{}]',
    'null',
    'x'.repeat(50_000),
    '[],[]',
  ])('rejects a header Next-Router-State-Tree that Next cannot read: %.30s', (tree) => {
    for (const url of ['/docs', '/robots.txt', '/login', '/api/auth/session'])
      expect(statusOf(url, { rsc: '1', 'next-router-state-tree': tree })).toBe(400)
  })

  it('passes the header Next-Router-State-Tree of a page', () => {
    const tree = encodeURIComponent(
      JSON.stringify(['', { children: ['(dashboard)', { children: ['__PAGE__', {}] }] }, null, null]),
    )
    expect(statusOf('/wallets', { rsc: '1', 'next-router-state-tree': tree })).toBeUndefined()
  })

  it('rejects server actions, because this server has none and Next would decode them', () => {
    expect(statusOf('/login', { 'next-action': 'x' }, 'POST')).toBe(415)
    expect(statusOf('/login', { 'content-type': 'multipart/form-data; boundary=x' }, 'POST')).toBe(415)
    expect(statusOf('/login', { 'content-type': 'application/x-www-form-urlencoded' }, 'POST')).toBeUndefined()
  })

  it('rejects repeated headers, of which Node and a proxy may read different lines', () => {
    const twice = (url: string, name: string): number | undefined =>
      rejectMalformed(
        {
          url,
          method: 'GET',
          headers: { host: 'localhost:3000' },
          rawHeaders: ['Host', 'localhost:3000', name, 'x', name.toLowerCase(), 'y'],
        },
        settings,
      )?.status
    for (const name of ['Authorization', 'Origin', 'Content-Type']) expect(twice('/', name)).toBe(400)
    for (const url of ['/', '/umanwc/v1/info']) expect(twice(url, 'Host')).toBe(400)
    // The API rejects a repeated Authorization header itself. Each proxy may add an X-Forwarded-For line.
    expect(twice('/umanwc/v1/info', 'Authorization')).toBeUndefined()
    expect(twice('/', 'X-Forwarded-For')).toBeUndefined()
  })

  it('counts the names of headers, not their values', () => {
    const rawHeaders = ['X-Wants', 'origin', 'X-Has', 'origin', 'Origin', 'x']
    expect(
      rejectMalformed({ url: '/', method: 'GET', headers: { host: 'localhost:3000' }, rawHeaders }, settings),
    ).toBe(undefined)
  })
})
