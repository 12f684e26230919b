import { describe, expect, it } from 'vitest'
import { createTestVasp, CURRENCIES, type Options } from '../test/memory-bank'
import { routeHandlers } from './adapters/fetch'
import { COMMANDS } from './commands'
import { openApiDocument } from './openapi'

const url = (path: string): string => `https://bank.example${path}`
const DISCOVERY = '/.well-known/uma-configuration'

const USD = { code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 } as const

describe('options', () => {
  it.each<[string, Partial<Options>]>([
    ['domain', { domain: 'https://bank.example' }],
    ['domain', { domain: 'Bank.example' }],
    ['domain', { domain: '' }],
    ['apiBasePath', { apiBasePath: '' }],
    ['apiBasePath', { apiBasePath: '/' }],
    ['apiBasePath', { apiBasePath: 'umanwc' }],
    ['apiBasePath', { apiBasePath: '/umanwc/' }],
    ['mountPath', { mountPath: '/' }],
    ['mountPath', { mountPath: 'uma' }],
    ['mountPath', { mountPath: '/uma/' }],
    ['mountPath', { mountPath: '/uma?x' }],
    ['loginSecret', { loginSecret: 'x'.repeat(31) }],
    ['currencies', { currencies: [] }],
    ['currencies', { currencies: [{ code: 'USDC' as 'USD', symbol: '$', name: 'USD Coin', decimals: 6 }] }],
    ['gatewayRootUrl', { gatewayRootUrl: 'gateway.example' }],
    ['gatewayRootUrl', { gatewayRootUrl: 'gateway.example:443' }],
    ['gatewayRootUrl', { gatewayRootUrl: 'https://' }],
    ['gatewayRootUrl', { gatewayRootUrl: 'https://user@gateway.example' }],
    ['gatewayRootUrl', { gatewayRootUrl: 'https://gateway.example/?x=1' }],
    ['gatewayRootUrl', { gatewayRootUrl: 'https://gateway.example/#x' }],
    // As a caller without type checks may pass them.
    ['domain', { domain: undefined }],
    ['loginSecret', { loginSecret: undefined }],
    ['gatewayRootUrl', { gatewayRootUrl: undefined }],
    ['keys', { keys: undefined }],
    ['keys', { keys: Promise.resolve() as never }],
    ['backend', { backend: undefined }],
    ['backend', { backend: {} as never }],
    ['backend', { backend: { getInfo() {}, estimateBudget() {} } as never }],
    ['currencies', { currencies: [USD, USD] }],
    ['currencies', { currencies: [{ ...USD, decimals: undefined as never }] }],
    ['currencies', { currencies: [null as never] }],
    ['currencies', { currencies: {} as never }],
  ])('that cannot work throw a TypeError that names %s: %j', (name, options) => {
    expect(() => createTestVasp({}, options)).toThrow(TypeError)
    expect(() => createTestVasp({}, options)).toThrow(new RegExp(`^${name} must `))
  })

  it('may have a domain with a port and a gateway root with a path', () => {
    const { vasp } = createTestVasp(
      {},
      { domain: 'localhost:3000', gatewayRootUrl: new URL('http://localhost:8080/@nwc/') },
    )
    expect(vasp.discovery().token_endpoint).toBe('http://localhost:8080/@nwc/oauth/token')
  })
})

describe('a method that the backend leaves out', () => {
  const optional = COMMANDS.filter(({ alwaysGranted }) => !alwaysGranted)

  it.each(optional)('answers 501 and is advertised nowhere: $name', async ({ name, backendMethod, method, path }) => {
    const { vasp, call, connectionToken } = createTestVasp({ [backendMethod]: undefined })
    const token = await connectionToken(COMMANDS.map((command) => command.name))
    const filled = path.replace(/\{.*\}/, 'ab'.repeat(32))
    expect(await call({ method, path: filled, token })).toMatchObject({
      status: 501,
      body: { code: 'NOT_IMPLEMENTED', message: `${name} is not implemented by this VASP.` },
    })
    const others = COMMANDS.map((command) => command.name).filter((each) => each !== name)
    expect(vasp.commands).toEqual(others)
    expect(vasp.discovery().nwc_commands_supported).toEqual(others)
    expect((await call({ path: '/info', token })).body.methods).toEqual(others)
    const operations = Object.values(openApiDocument(vasp).paths ?? {}).flatMap((item) => Object.values(item))
    expect(operations.map(({ operationId }) => operationId as string).toSorted()).toEqual(
      [...others, 'exchange_token'].toSorted(),
    )
  })

  it('still answers 405 for a wrong method of its path', async () => {
    const { call } = createTestVasp({ getBalance: undefined })
    expect((await call({ method: 'POST', path: '/balance' })).status).toBe(405)
  })
})

describe('owns', () => {
  it.each([
    ['/umanwc/v1', true],
    ['/umanwc/v1/info', true],
    ['/umanwc/v1/nowhere', true],
    [DISCOVERY, true],
    ['/umanwc/v10', false],
    ['/umanwc', false],
    ['/', false],
    ['/openapi.json', false],
    [`${DISCOVERY}/`, false],
  ])('returns whether %s belongs to the VASP: %s', (path, owned) => {
    expect(createTestVasp().vasp.owns(path)).toBe(owned)
  })

  it('covers the API at another base path, and /openapi.json where it is served', () => {
    const { vasp } = createTestVasp({}, { apiBasePath: '/wallet', openApi: () => ({}) })
    const paths = ['/wallet/info', '/openapi.json', '/umanwc/v1/info']
    expect(paths.map((path) => vasp.owns(path))).toEqual([true, true, false])
  })
})

describe('below a mount path', () => {
  const mounted = { mountPath: '/apps/uma', apiBasePath: '/v1', openApi: openApiDocument }

  it('answers every path there, and none at the root', async () => {
    const { vasp, events } = createTestVasp({}, mounted)
    const paths = ['/v1/info', DISCOVERY, '/openapi.json']
    const statusOf = async (path: string) => (await vasp.fetch(new Request(url(path)))).status
    expect(await Promise.all(paths.map((path) => statusOf(`/apps/uma${path}`)))).toEqual([401, 200, 200])
    expect(await Promise.all(paths.map(statusOf))).toEqual([404, 404, 404])
    expect(paths.map((path) => vasp.owns(`/apps/uma${path}`))).toEqual([true, true, true])
    expect(['/apps/uma', '/apps/uma/', '/apps/umax/v1/info', '/v1/info'].map((path) => vasp.owns(path))).toEqual(
      Array(4).fill(false),
    )
    expect(events[0]).toMatchObject({ path: '/apps/uma/v1/info', route: 'GET /info' })
  })

  it('names it in the OpenAPI document', () => {
    const { vasp } = createTestVasp({}, mounted)
    expect(openApiDocument(vasp).servers).toEqual([{ url: 'https://bank.example/apps/uma/v1' }])
  })
})

describe('fetch', () => {
  it('answers 404 outside its paths, even for a path that contains the base path', async () => {
    const { vasp } = createTestVasp()
    for (const path of ['/', '/umanwc/v1', '/umanwc/v1/', '/x/umanwc/v1/info', '/umanwc/v1info', '/openapi.json']) {
      const response = await vasp.fetch(new Request(url(path)))
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' })
    }
  })

  it('serves discovery to pages of every origin, even where the API is restricted', async () => {
    const { vasp, trace } = createTestVasp({}, { allows: () => false })
    const response = await vasp.fetch(new Request(url(`${DISCOVERY}?x=1`)))
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(vasp.discovery())
    expect(trace).toEqual([])
  })

  it('sends no Access-Control-Allow-Origin with answers of the API', async () => {
    const { call, connectionToken } = createTestVasp()
    const { headers } = await call({ path: '/info', token: await connectionToken() })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  it('answers a preflight for discovery: pages of any origin may GET it with any header', async () => {
    const { vasp } = createTestVasp()
    const response = await vasp.fetch(
      new Request('https://bank.example/.well-known/uma-configuration', { method: 'OPTIONS' }),
    )
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toBe('GET')
    expect(response.headers.get('access-control-allow-headers')).toBe('*')
  })

  it('answers HEAD for discovery without a body, and 405 for HEAD and POST elsewhere', async () => {
    const { vasp } = createTestVasp()
    const head = await vasp.fetch(new Request(url(DISCOVERY), { method: 'HEAD' }))
    expect([head.status, await head.text()]).toEqual([200, ''])
    const info = await vasp.fetch(new Request(url('/umanwc/v1/info'), { method: 'HEAD' }))
    expect([info.status, info.headers.get('allow'), await info.text()]).toEqual([405, 'GET', ''])
    const post = await vasp.fetch(new Request(url(DISCOVERY), { method: 'POST' }))
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('reads the body of a web request', async () => {
    const { vasp, connectionToken } = createTestVasp()
    const response = await vasp.fetch(
      new Request(url('/umanwc/v1/invoice'), {
        method: 'POST',
        headers: { Authorization: `Bearer ${await connectionToken()}` },
        body: JSON.stringify({ amount: 1_000 }),
      }),
    )
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ payment_hash: 'ab'.repeat(32), amount: 1_000 })
  })

  it('serves the OpenAPI document when it is passed', async () => {
    const { vasp } = createTestVasp({}, { openApi: openApiDocument })
    const response = await vasp.fetch(new Request(url('/openapi.json')))
    expect(await response.json()).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'https://bank.example/umanwc/v1' }],
    })
  })

  it('fails at creation when the OpenAPI document cannot be generated', () => {
    const openApi = (): never => {
      throw new Error('zod-openapi is missing')
    }
    expect(() => createTestVasp({}, { openApi })).toThrow('zod-openapi is missing')
  })
})

describe('routeHandlers', () => {
  it('passes every method to the VASP', async () => {
    const { vasp } = createTestVasp()
    const handlers = routeHandlers(vasp)
    expect(Object.keys(handlers)).toEqual(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    for (const [method, handler] of Object.entries(handlers)) {
      const response = await handler(new Request(url('/umanwc/v1/balance'), { method }))
      expect([method, response.status]).toEqual([method, method === 'GET' ? 401 : 405])
    }
  })
})

describe('/info', () => {
  it('has defaults for alias and color, the address of the user, and complete currencies', async () => {
    const { call, connectionToken } = createTestVasp()
    const { body } = await call({ path: '/info', token: await connectionToken() })
    expect(body).toMatchObject({ alias: 'Bank', color: '#000000', lud16: '$alice@bank.example' })
    expect(body.currencies).toEqual([{ currency: CURRENCIES[0], multiplier: 10_000, min: 1, max: 1_000_000 }])
  })
})
