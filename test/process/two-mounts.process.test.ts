import { COMMANDS } from 'uma-auth-vasp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchLoginToken, fetchToken } from '../../sandbox/shared/fetch-token'
import { request } from '../stack/raw'
import { startStack, userOf, type Stack } from '../stack/stack'

// The API on node:http (`server.js`) and behind Next (`next start`) gives the same answers, header for header.

interface Mount {
  readonly origin: string
  readonly connection: string
  readonly login: string
}

async function mountOf(stack: Stack): Promise<Mount> {
  const origin = stack.vaspOrigin
  const user = userOf(stack)
  const connection = await fetchToken({
    ...user,
    permissions: ['get_info'],
    expiration: Math.floor(Date.now() / 1000) + 600,
  })
  return { origin, connection, login: await fetchLoginToken(user) }
}

/** The parts that must be equal: status, body without the instance's names, and the headers that callers read. */
async function answerOf(
  origin: string,
  method: string,
  path: string,
  init: RequestInit = {},
  base = '/umanwc/v1',
): Promise<unknown> {
  const response = await fetch(`${origin}${base}${path}`, { method, redirect: 'manual', ...init })
  const text = (await response.text())
    .replaceAll(origin.replace('http://', ''), 'vasp')
    .replaceAll(/http:\/\/localhost:\d+/g, 'http://gateway')
    .replaceAll(/"pubkey":"[^"]*"|"token":"[^"]*"/g, '')
  const names = [
    'access-control-allow-origin',
    'allow',
    'cache-control',
    'content-type',
    'retry-after',
    'set-cookie',
    'www-authenticate',
    'x-content-type-options',
  ]
  return [response.status, text, ...names.map((name) => response.headers.get(name))]
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Next would match some of them with a route file. */
const UNKNOWN_PATHS = [
  '/umanwc',
  '/umanwc/',
  '/umanwc/v1',
  '/umanwc/v2/info',
  '/umanwc/v1/INFO',
  '/umanwc/v1/info/',
  '/umanwc/v1/info/info',
  '/umanwc/v1/info.json',
  '/umanwc/v1/token/',
  '/umanwc/v1/quote',
  '/umanwc/v1/quote/',
  '/umanwc/v1/quote/lud16/',
  '/umanwc/v1/invoices/a/b',
  '/umanwc/v1/payments/[payment_hash]',
  '/umanwc/v1/receiver/lud16',
  '/umanwc/v1/handlers',
]

const statusIn = (answer: unknown): unknown => (answer as unknown[])[0]
const bearer = (token: string): RequestInit => ({ headers: { Authorization: `Bearer ${token}` } })

describe('both mounts of the API', () => {
  const stacks: Stack[] = []
  let mounts: readonly [Mount, Mount]

  beforeAll(async () => {
    const start = async (server: 'server.js' | 'next start'): Promise<Mount> => {
      const stack = await startStack({}, server, { alone: true })
      stacks.push(stack)
      return mountOf(stack)
    }
    mounts = [await start('server.js'), await start('next start')]
  })
  afterAll(() => Promise.all(stacks.map((stack) => stack.stop())))

  /** Sends a request to both mounts, compares the answers, and returns one of them. */
  async function same(what: string, ask: (mount: Mount) => Promise<unknown>): Promise<unknown> {
    const [here, there] = [await ask(mounts[0]), await ask(mounts[1])]
    expect(there, what).toEqual(here)
    return here
  }

  it('answer every method at every path, and at spellings of a path that is no command, in the same way', async () => {
    const endpoints = COMMANDS.map(({ method, path }) => ({ method, path: path.replaceAll(/\{\w+\}/g, 'a') }))
    endpoints.push({ method: 'POST', path: '/token' })
    for (const path of new Set(endpoints.map((endpoint) => endpoint.path)))
      for (const method of METHODS) {
        const exists = endpoints.some((endpoint) => endpoint.path === path && endpoint.method === method)
        const expected = exists ? 401 : 405
        const answer = await same(`${method} ${path}`, ({ origin }) => answerOf(origin, method, path))
        expect([method, path, statusIn(answer)]).toEqual([method, path, expected])
      }
    for (const path of UNKNOWN_PATHS)
      for (const method of METHODS) {
        const answer = await same(`${method} ${path}`, ({ origin, connection }) =>
          answerOf(origin, method, path, bearer(connection), ''),
        )
        expect([method, path, statusIn(answer)]).toEqual([method, path, 404])
      }
  })

  it('give the same answers to inputs', async () => {
    const requests: readonly (readonly [string, string, 'connection' | 'login' | 'none', string?])[] = [
      ['GET', '/info', 'connection'],
      ['GET', '/info', 'login'],
      ['GET', '/info', 'none'],
      ['HEAD', '/info', 'connection'],
      ['OPTIONS', '/info', 'none'],
      [
        'GET',
        '/budget_estimate?sending_currency_code=USD&sending_currency_amount=5&budget_currency_code=SAT',
        'connection',
      ],
      ['GET', '/budget_estimate?sending_currency_code=USD', 'connection'],
      ['GET', '/balance', 'connection'],
      ['GET', '/balance', 'login'],
      ['POST', '/balance', 'connection'],
      ['POST', '/quote/lud16', 'connection'],
      ['GET', `/quote/${'a'.repeat(64)}`, 'connection'],
      ['GET', '/receiver/lud16/$bob@localhost:3000', 'connection'],
      ['GET', '/receiver/lud16/%24bob%40localhost%3A3000', 'connection'],
      ['GET', '/invoices/../info', 'connection'],
      ['GET', '/%69nfo', 'connection'],
      ['GET', '/quote/%6Cud16', 'connection'],
      ['GET', '/invoices/a%2Fb', 'connection'],
      ['POST', '/token', 'connection', '{}'],
      ['POST', '/token', 'login', '{}'],
      ['POST', '/token', 'login', '{"permissions":["get_info"]}'],
      ['POST', '/token', 'login', '{"permissions":["get_info"],"expiration":1}'],
      ['POST', '/token', 'login', '{'],
      ['POST', '/token', 'none', '{}'],
      ['GET', '/token', 'connection'],
    ]
    for (const [method, path, kind, body] of requests) {
      await same(`${method} ${path} ${kind} ${body ?? ''}`, (mount) =>
        answerOf(mount.origin, method, path, {
          ...(kind === 'none' ? {} : bearer(mount[kind])),
          ...(body === undefined ? {} : { body }),
        }),
      )
    }
  })

  it('give other VASPs the same answers', async () => {
    const requests: readonly (readonly [string, string, number, string?])[] = [
      ['GET', '/.well-known/lnurlp/bob', 200],
      ['GET', '/.well-known/lnurlp/$bob', 200],
      ['GET', '/.well-known/lnurlp/%24bob?umaVersion=9.0', 412],
      ['GET', '/.well-known/lnurlp/bob?nonce=1', 400],
      ['GET', '/.well-known/lnurlp/nobody', 404],
      ['GET', '/uma/pay/bob?amount=1', 400],
      ['PUT', '/uma/pay/bob', 405],
      ['POST', '/uma/pay/bob', 400, '{}'],
      ['POST', '/uma/callback/x', 400, '{}'],
      ['POST', '/uma/request', 400, '{"invoice":"uma1"}'],
      ['GET', '/uma/nothing', 404],
      ['GET', '/uma/verify/x', 404],
      ['GET', '/.well-known/keysend/bob', 404],
      ['HEAD', '/.well-known/keysend/bob', 404],
      ['GET', '/.well-known/nostr.json', 404],
      ['OPTIONS', '/.well-known/nostr.json', 204],
    ]
    for (const [method, path, status, body] of requests) {
      const answer = await same(`${method} ${path}`, ({ origin }) =>
        answerOf(origin, method, path, body === undefined ? {} : { body }, ''),
      )
      expect(statusIn(answer), path).toBe(status)
    }
    for (const { origin } of mounts) {
      const keys = (await (await fetch(`${origin}/.well-known/lnurlpubkey`)).json()) as Record<string, unknown>
      expect(keys.signingPubKey).toMatch(/^04[0-9a-f]{128}$/)
    }
  })

  it('give the same documents', async () => {
    for (const path of ['/.well-known/uma-configuration', '/openapi.json'])
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const answer = await same(`${method} ${path}`, ({ origin }) => answerOf(origin, method, path, {}, ''))
        expect(statusIn(answer), `${method} ${path}`).toBe(method === 'OPTIONS' ? 204 : 200)
      }
  })

  it('refuse a token of another VASP in the same way', async () => {
    for (const [method, path] of [
      ['GET', '/info'],
      ['POST', '/token'],
    ] as const) {
      const answer = await same(path, ({ origin }) => {
        const other = mounts.find((mount) => mount.origin !== origin)
        return answerOf(origin, method, path, bearer(other?.connection ?? ''))
      })
      expect(statusIn(answer)).toBe(401)
    }
  })

  it('refuse two Authorization headers, even if one of them is valid', async () => {
    const lines = (token: string): string => `Authorization: Bearer ${token}`
    for (const order of [
      (good: string) => [good, 'a.b.c'],
      (good: string) => ['a.b.c', good],
      (good: string) => [good, good],
    ]) {
      const statuses = await same('two lines', async ({ origin, connection }) => {
        const { status, headers } = await request(origin, 'GET', '/umanwc/v1/info', order(connection).map(lines))
        return [status, headers.get('www-authenticate')]
      })
      expect(statuses).toEqual([401, 'Bearer'])
    }
    const one = await same(
      'one line',
      async ({ origin, connection }) => (await request(origin, 'GET', '/umanwc/v1/info', [lines(connection)])).status,
    )
    expect(one).toBe(200)
  })

  it('refuse a body over 64 kB in the same way, after checking the token', async () => {
    const body = JSON.stringify({ permissions: ['get_info'], padding: 'x'.repeat(70_000) })
    const exchange = (token: string, mount: Mount): Promise<unknown> =>
      answerOf(mount.origin, 'POST', '/token', { ...bearer(token), body })
    expect(statusIn(await same('a good token', (mount) => exchange(mount.login, mount)))).toBe(413)
    expect(statusIn(await same('a bad token', (mount) => exchange('a.b.c', mount)))).toBe(401)
  })

  it('give calls to the Lightning node the same answers, and accept none from an unknown node', async () => {
    for (const [method, path, status] of [
      ['POST', '/v1/pay', 401],
      ['POST', '/v1/track?x', 401],
      ['GET', '/v1/pay', 405],
      ['HEAD', '/v1/track', 405],
      ['OPTIONS', '/v1/pay', 405],
      ['POST', '/v1/info', 404],
      ['GET', '', 404],
    ] as const) {
      const answer = await same(`${method} ${path}`, ({ origin }) => answerOf(origin, method, path, {}, '/sandbox-ln'))
      expect(statusIn(answer), path).toBe(status)
    }
  })

  it('refuse the twenty-first connection of one sign-in in the same way', async () => {
    const body = JSON.stringify({ permissions: ['get_info'] })
    const statuses = await same('twenty-one exchanges', async ({ origin, login }) => {
      const seen: unknown[] = []
      for (let count = 0; count < 21; count++)
        seen.push(await answerOf(origin, 'POST', '/token', { ...bearer(login), body }))
      return seen
    })
    expect(statusIn((statuses as unknown[]).at(-1))).toBe(429)
  })
})
