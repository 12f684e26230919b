import { describe, expect, it } from 'vitest'
import { rejectMalformed } from './request-validation'

const settings = { publicOrigin: 'http://localhost:3000' } as const
const open = (url: string | undefined, headers: Record<string, string> = {}, method = 'GET') =>
  rejectMalformed(
    { url, method, headers: { host: 'localhost:3000', ...headers }, rawHeaders: Object.entries(headers).flat() },
    settings,
  )
const ask = (...request: Parameters<typeof open>): number | undefined => open(...request)?.status

describe('the door', () => {
  it('lets pages and the API in', () => {
    for (const url of ['/', '/login', '/connect?redirect_uri=x', '/umanwc/v1/info', '/.well-known/uma-configuration'])
      expect(ask(url)).toBeUndefined()
  })

  it.each(['http://evil.com/', '*', 'localhost:3000', '', undefined])(
    'refuses the request line %j, so that nothing fetches for a stranger',
    (url) => {
      expect(ask(url)).toBe(400)
    },
  )

  it('refuses another Host for pages, and a missing one', () => {
    for (const host of ['evil.com', 'localhost', 'localhost:3001', '']) expect(ask('/', { host })).toBe(421)
    expect(rejectMalformed({ url: '/', method: 'GET', headers: {}, rawHeaders: [] }, settings)?.status).toBe(421)
  })

  it('takes any Host at the API and at the health checks: both are called by internal names', () => {
    for (const url of ['/umanwc/v1/info', '/-/alive', '/-/ready'])
      expect(ask(url, { host: 'vasp.internal' })).toBeUndefined()
  })

  it('believes no forwarded host', () => {
    expect(ask('/', { host: 'evil.com', 'x-forwarded-host': 'localhost:3000' })).toBe(421)
  })

  it('refuses an address over 8 kB, the API’s too', () => {
    expect(ask(`/${'a'.repeat(8 * 1024)}`)).toBe(414)
    expect(ask(`/umanwc/v1/${'a'.repeat(8 * 1024)}`)).toBe(414)
    expect(ask(`/${'a'.repeat(8 * 1024 - 1)}`)).toBeUndefined()
  })

  it('refuses a form over 64 kB and one of unknown length', () => {
    expect(ask('/logout', { 'content-length': String(64 * 1024) }, 'POST')).toBeUndefined()
    expect(ask('/logout', { 'content-length': String(64 * 1024 + 1) }, 'POST')).toBe(413)
    expect(ask('/logout', { 'transfer-encoding': 'chunked' }, 'POST')).toBe(411)
  })

  it('leaves bodies of the API to the API, which must look at the token first', () => {
    expect(ask('/umanwc/v1/token', { 'content-length': '10000000' }, 'POST')).toBeUndefined()
    expect(ask('/umanwc/v1/token', { 'transfer-encoding': 'chunked' }, 'POST')).toBeUndefined()
  })

  it.each(['GET', 'HEAD'])('lets no large body in where %s needs none, at the API neither', (method) => {
    for (const url of ['/', '/umanwc/v1/info', '//umanwc/v1/info']) {
      expect(ask(url, { 'content-length': '100000000' }, method)).toBe(413)
      expect(ask(url, { 'transfer-encoding': 'chunked' }, method)).toBe(411)
    }
    expect(ask('/umanwc/v1/info', { 'content-length': '0' }, method)).toBeUndefined()
  })

  it.each([
    ['/', 'POST', 'GET, HEAD'],
    ['/login', 'PUT', 'GET, HEAD'],
    ['/login', 'TRACE', 'GET, HEAD'],
    ['/icon.svg', 'PROPFIND', 'GET, HEAD'],
    ['/no-such-page', 'PURGE', 'GET, HEAD'],
    ['/connect', 'HEAD', 'GET'],
    ['/logout', 'GET', 'POST'],
    ['/connections/revoke-today', 'DELETE', 'POST'],
    ['/api/auth/csrf', 'QUERY', 'GET, HEAD, POST'],
  ])('says of %s which methods it takes, to %s', (url, method, allow) => {
    expect(open(url, {}, method)).toMatchObject({ status: 405, headers: { Allow: allow } })
  })

  it.each([
    '/connect/',
    '/login/',
    '//connect',
    '/%63onnect',
    '/connect\\',
    '/api/auth/%E0%A4%A',
    '/_global-error',
    '/_next/image?url=x',
    '/_next/data/x/index.json',
    '/_error',
  ])('knows no page spelled %s', (url) => {
    expect(ask(url)).toBe(404)
  })

  it('refuses headers that are given twice, where node and a proxy may read different ones', () => {
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
    // The API has its own answer to two bearer tokens, and a proxy adds a line of its own to this one.
    expect(twice('/umanwc/v1/info', 'Authorization')).toBeUndefined()
    expect(twice('/', 'X-Forwarded-For')).toBeUndefined()
  })

  it('does not mistake a value for a name', () => {
    const rawHeaders = ['X-Wants', 'origin', 'X-Has', 'origin', 'Origin', 'x']
    expect(
      rejectMalformed({ url: '/', method: 'GET', headers: { host: 'localhost:3000' }, rawHeaders }, settings),
    ).toBe(undefined)
  })

  it('keeps a router state from Next that it would choke on', () => {
    const state = (value: string): number | undefined => ask('/', { 'next-router-state-tree': value })
    for (const bad of ['garbage', '%', '{}', '[]', '["",{"children":1}]', '["",{},1]', '['.repeat(5_000)])
      expect(state(bad), bad.slice(0, 20)).toBe(400)
    const good = ['', { children: ['(dashboard)', { children: ['connections', {}] }, null, 'refetch'] }, null, null, 16]
    expect(state(encodeURIComponent(JSON.stringify(good)))).toBeUndefined()
  })
})
