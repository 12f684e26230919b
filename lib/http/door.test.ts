import { describe, expect, it } from 'vitest'
import { refuseAtTheDoor } from './door'

const settings = { publicOrigin: 'http://localhost:3000', apiBasePath: '/umanwc/v1' } as const
const ask = (url: string | undefined, headers: Record<string, string> = {}): number | undefined =>
  refuseAtTheDoor({ url, headers: { host: 'localhost:3000', ...headers } }, settings)?.status

describe('the door', () => {
  it('lets pages and the API in', () => {
    for (const url of ['/', '/connect?redirect_uri=x', '/umanwc/v1/info', '/.well-known/uma-configuration'])
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
    expect(refuseAtTheDoor({ url: '/', headers: {} }, settings)?.status).toBe(421)
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
    expect(ask('/logout', { 'content-length': String(64 * 1024) })).toBeUndefined()
    expect(ask('/logout', { 'content-length': String(64 * 1024 + 1) })).toBe(413)
    expect(ask('/logout', { 'transfer-encoding': 'chunked' })).toBe(411)
  })

  it('leaves bodies of the API to the API, which must look at the token first', () => {
    expect(ask('/umanwc/v1/token', { 'content-length': '10000000' })).toBeUndefined()
  })
})
