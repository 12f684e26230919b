import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { signAny, TOKEN_FAULTS, type GoodToken } from '@/packages/uma-auth-vasp/test/token-faults'
import { newKeyPair } from '@/test/vasp/keys'
import { createGateway } from './app'
import { loginUrl, returnPathOf } from './login'
import { loadGatewaySettings } from './settings'
import { Store } from './store'

const DOMAIN = 'localhost:3000'
const pair = newKeyPair()
const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
const settings = loadGatewaySettings({
  NWC_APP_ROOT_URL: 'http://localhost:8080',
  UMA_VASP_LOGIN_URL: `http://${DOMAIN}/connect`,
  UMA_VASP_TOKEN_EXCHANGE_URL: `http://${DOMAIN}/umanwc/v1/token`,
  VASP_UMA_API_BASE_URL: `http://${DOMAIN}/umanwc/v1`,
  UMA_VASP_JWT_PUBKEY: pair.publicPem,
  UMA_VASP_JWT_AUD: DOMAIN,
  UMA_VASP_JWT_ISS: DOMAIN,
  VASP_NAME: 'Northbank',
  VASP_SUPPORTED_COMMANDS: 'get_info,get_balance',
})
const gateway = createGateway({
  settings,
  store: new Store(folder),
  nowSeconds: () => Math.floor(Date.now() / 1000),
  publicKey: 'the gateway',
  relayConnected: () => true,
})
const good = (): GoodToken => ({
  claims: {
    sub: 'alice',
    address: `$alice@${DOMAIN}`,
    aud: DOMAIN,
    iss: DOMAIN,
    exp: Math.floor(Date.now() / 1000) + 600,
  },
  ...pair,
  domain: DOMAIN,
})
const CURRENCY = encodeURIComponent('{"code":"USD","symbol":"$","name":"US Dollar","decimals":2}')
const back = (token: string, rest = `&currency=${CURRENCY}`): Promise<Response> | Response =>
  gateway.request(`/auth/vasp_token_callback?token=${token}${rest}`)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the login of the gateway’s own site', () => {
  it('encodes the redirect_uri twice, as the public gateway does', () => {
    const url = new URL(loginUrl(settings, '/connection/new'))
    expect(url.searchParams.get('redirect_uri')).toBe(
      encodeURIComponent('http://localhost:8080/auth/vasp_token_callback?fe_redirect=%2Fconnection%2Fnew'),
    )
  })

  it.each([
    ['/', '/'],
    ['//evil.example', undefined],
    ['apps/new?x=1.2', '/apps/new?x=1.2'],
    ['///apps', '/apps'],
    ['/a.b', undefined],
    ['/\\evil', undefined],
    [undefined, '/'],
  ])('reads the return path %s as %s', (raw, path) => {
    expect(returnPathOf(raw)).toBe(path)
  })

  it('accepts a valid token, removes it from the address, and sets a cookie that scripts cannot read', async () => {
    const response = await back(signAny(good().claims, pair.privatePem))
    expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
    expect(response.headers.get('set-cookie')).toMatch(/^gateway\.\d+\.session=[^;]+;.*HttpOnly/i)
  })

  const KINDS_OF_OUR_OWN = new Set([
    'no token_use',
    'an unknown token_use',
    'no jti',
    'a user of 300 characters',
    'iat tomorrow',
    'exp in milliseconds',
    'exp too large for any date',
    'a key in the header',
    'a key URL in the header',
    'a certificate URL in the header',
    'a key id that is a path',
    'a list of audiences that includes ours',
  ])
  it.each(TOKEN_FAULTS.filter(({ why }) => !KINDS_OF_OUR_OWN.has(why)))(
    'refuses a token with $why',
    async ({ make }) => {
      expect((await back(await make(good()))).status).toBe(400)
    },
  )

  const other = newKeyPair()
  it.each([
    ['aud', { aud: 'localhost:9' }, pair, `its claim aud is not ${DOMAIN}, which UMA_VASP_JWT_AUD requires`],
    ['iss', { iss: undefined }, pair, `its claim iss is not ${DOMAIN}, which UMA_VASP_JWT_ISS requires`],
    ['exp', { exp: 1_700_000_000 }, pair, 'it has expired. Sign in again.'],
    ['exp', { exp: 'soon' }, pair, 'its claim exp is missing or not valid'],
    ['nbf', { nbf: 4_000_000_000 }, pair, 'its claim nbf is missing or not valid'],
    ['signature', {}, other, 'its signature was not made with the key in UMA_VASP_JWT_PUBKEY'],
  ])('names the %s of a refused token and the setting to compare: %j', async (_, claims, keys, words) => {
    const page = await (await back(signAny({ ...good().claims, ...claims }, keys.privatePem))).text()
    expect(page).toContain(`The token from ${settings.VASP_NAME} is not valid: ${words}`)
  })

  it.each(['x', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.'])(
    'says nothing in the words of a library about %s',
    async (token) => {
      expect(await (await back(token)).text()).toMatch(
        /is not valid: it is not (a token that this gateway can read|signed with ES256)\./,
      )
    },
  )

  it('requires an address, a currency and a token, and names the missing one', async () => {
    const { address: _address, ...nameless } = good().claims
    expect(await (await back(signAny(nameless, pair.privatePem))).text()).toContain('its claim address is missing')
    expect(await (await back(signAny(good().claims, pair.privatePem), '')).text()).toContain('no valid currency')
    expect(await (await back('')).text()).toContain('No token provided')
  })

  it.each([
    ['token', () => `&currency=${CURRENCY}&token=${signAny({ ...good().claims, sub: 'mallory' }, pair.privatePem)}`],
    ['currency', () => `&currency=${CURRENCY}&currency=${CURRENCY}`],
    ['fe_redirect', () => `&currency=${CURRENCY}&fe_redirect=%2F&fe_redirect=%2Fconnection%2Fnew`],
  ])('refuses an address with %s twice, and signs nobody in', async (name, rest) => {
    const response = await back(signAny(good().claims, pair.privatePem), rest())
    expect([response.status, response.headers.get('set-cookie')]).toEqual([400, null])
    expect(await response.text()).toContain(`The address has ${name} twice`)
  })

  it('refuses an address that is stored with another user id', async () => {
    await back(signAny(good().claims, pair.privatePem))
    expect((await back(signAny({ ...good().claims, sub: 'mallory' }, pair.privatePem))).status).toBe(400)
  })
})

describe('forms and pages', () => {
  it('reject requests from another site', async () => {
    for (const origin of ['https://evil.example', 'null', undefined]) {
      const response = await gateway.request('/connection/new', {
        method: 'POST',
        ...(origin === undefined ? {} : { headers: { Origin: origin } }),
      })
      expect(response.status).toBe(403)
    }
  })

  it('are redirected from another name of this machine to the configured address, with their query', async () => {
    for (const host of ['127.0.0.1:8080', '[::1]:8080']) {
      const headers = { Host: host }
      const response = await gateway.request(`http://${host}/login?return=%2Fx&uma_username=%24bob`, { headers })
      expect([response.status, response.headers.get('location')]).toEqual([
        307,
        'http://localhost:8080/login?return=%2Fx&uma_username=%24bob',
      ])
      expect((await gateway.request(`http://${host}/-/alive`, { headers })).status).toBe(200)
    }
    const own = await gateway.request('http://localhost:8080/', { headers: { Host: 'localhost:8080' } })
    expect(own.status).toBe(200)
  })

  it('name the configured address when a form was sent at another', async () => {
    const headers = { Origin: 'http://127.0.0.1:8080', Host: '127.0.0.1:8080' }
    const response = await gateway.request('http://127.0.0.1:8080/logout', { method: 'POST', headers })
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('Open the gateway simulator at http://localhost:8080')
  })

  it('escape text from other parties, and run only their own scripts', async () => {
    const response = await back(
      signAny({ ...good().claims, sub: 'x', address: '<script>alert(1)</script>' }, pair.privatePem),
    )
    const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const home = await gateway.request('/', { headers: { Cookie: cookie } })
    expect(await home.text()).not.toContain('<script>')
    expect(home.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
  })

  it('have a font with currency signs for a VASP’s answers, including ₿', async () => {
    const style = await (await gateway.request('/style.css')).text()
    const [, path = ''] = /url\((\S+)\) format\('woff2'\); unicode-range:U\+20A0-20C0/.exec(style) ?? []
    const font = await gateway.request(path)
    expect([font.status, font.headers.get('content-type')]).toEqual([200, 'font/woff2'])
  })

  it('have fonts that a browser keeps for a day, and nothing else that it keeps', async () => {
    const kept = async (path: string) => (await gateway.request(path)).headers.get('cache-control')
    const style = await (await gateway.request('/style.css')).text()
    const fonts = [...style.matchAll(/url\((\S+)\)/g)].map(([, path = '']) => path)
    expect(await Promise.all(fonts.map(kept))).toEqual(Array(4).fill('public, max-age=86400'))
    const others = ['/', '/style.css', '/fonts/none.woff2', '/fonts/..%2Flayout.tsx']
    expect(await Promise.all(others.map(kept))).toEqual(others.map(() => 'no-store'))
  })

  it('reject a body over 64 kB', async () => {
    const response = await gateway.request('/connection/new', {
      method: 'POST',
      body: 'x'.repeat(70_000),
      headers: { Origin: 'http://localhost:8080' },
    })
    expect(response.status).toBe(413)
  })
})

describe('the store', () => {
  it('ends a sign-in at its expiry, and the oldest beyond 500', () => {
    const store = new Store(folder)
    const currency = { code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 }
    const login = { token: 't', sub: 'alice', address: '$alice@localhost:3000', expiresAtSeconds: 100, currency }
    const ids = Array.from({ length: 501 }, () => store.signIn(login))
    expect([ids[0], ids[1], ids.at(-1)].map((id) => store.login(id, 99))).toEqual([undefined, login, login])
    expect(store.login(ids.at(-1), 100)).toBeUndefined()
  })

  it('opens what its first version stored, and fills in what was added since', () => {
    const first = {
      id: '1',
      sub: 'a',
      address: '$a@x',
      name: 'n',
      permissions: ['get_info'],
      currency: { code: 'USD', symbol: 'a symbol of many letters', name: 'US Dollar', decimals: 2 },
      createdAtSeconds: 1,
      expiresAtSeconds: null,
      loginToken: 't',
      longToken: 'l',
      exchanges: [{ method: 'GET', url: 'http://x/info', requestBody: null, status: 200, body: '{}', ms: 3 }],
    }
    writeFileSync(join(folder, 'state.json'), JSON.stringify({ users: { a: '$a@x' }, connections: [first] }))
    const added = { clientApp: null, appPublicKey: null, refreshHash: null, limit: null, cycles: [], payments: [] }
    expect(new Store(folder).connection('1')).toMatchObject({ ...first, ...added })
  })

  it('refuses a file with a connection that it cannot use, and names the field', () => {
    writeFileSync(join(folder, 'state.json'), JSON.stringify({ connections: [{ id: '1', exchanges: [] }] }))
    expect(() => new Store(folder)).toThrow(/state\.json cannot be read: connections\.0\.sub is missing or not valid\./)
  })
})
