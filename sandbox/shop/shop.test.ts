import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { generateSecretKey, type NostrEvent } from 'nostr-tools/pure'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fakeWallet, type Answer, type FakeWallet } from '@/test/gateway/fake-wallet'
import { startRelay, type RunningRelay } from '../relay/server'
import { loadShopSettings, type ShopSettings } from './settings'
import { startShop, type RunningShop } from './shop'

/** A VASP and a gateway in one server: discovery, and a token endpoint with answers that a test sets. */
interface FakeGateway {
  readonly port: number
  readonly address: string
  /** Requests to the token endpoint, newest last. */
  readonly asked: URLSearchParams[]
  readonly revoked: URLSearchParams[]
  /** The next answers of the token endpoint: status and body. */
  token: readonly [status: number, body: object | string]
  discovery: () => object | string
  /** Status of the authorization endpoint. */
  authorizes: 302 | 400 | 500
  readonly close: () => Promise<void>
}

async function fakeGateway(port = 0): Promise<FakeGateway> {
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
    token: [500, 'no answer set'],
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
  app.get('/oauth/auth', () => answer(fake.authorizes, 'the set status'))
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

const ROOT = 'http://localhost:3200'
let relay: RunningRelay
let gateway: FakeGateway
let wallet: FakeWallet
let shop: RunningShop
let settings: ShopSettings
let cookie = ''
let answer: Answer = () => ({ result: {} })

beforeAll(async () => {
  relay = await startRelay(0)
  wallet = fakeWallet(relay.url, (request) => answer(request))
})
afterAll(async () => {
  wallet.close()
  await relay.close()
})
beforeEach(async () => {
  gateway = await fakeGateway()
  cookie = ''
  answer = ({ method }) => ({ result_type: method, result: { ok: true } })
  const folder = mkdtempSync(join(tmpdir(), 'shop-'))
  settings = loadShopSettings({
    RELAY: relay.url,
    APP_DATA_DIR: folder,
    APP_REPLY_TIMEOUT_MS: '30000',
    APP_VASP_URL: 'http://localhost:3000',
  })
  shop = startShop(settings)
})
afterEach(async () => {
  shop.stop()
  await gateway.close()
  rmSync(settings.APP_DATA_DIR, { recursive: true, force: true })
})

async function get(path: string): Promise<{ status: number; text: string; to: string }> {
  return read(await shop.fetch(new Request(ROOT + path, { headers: { cookie } })))
}
async function post(path: string, form: Record<string, string> = {}, origin = ROOT): ReturnType<typeof get> {
  const headers = { cookie, origin, 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(form).toString()
  return read(await shop.fetch(new Request(ROOT + path, { method: 'POST', headers, body })))
}
async function read(response: Response): ReturnType<typeof get> {
  const set = response.headers.get('set-cookie')
  if (set !== null) cookie = set.split(';', 1)[0] ?? ''
  const text = (await response.text()).replaceAll(/\s+/g, ' ')
  return { status: response.status, text, to: response.headers.get('location') ?? '' }
}

const ask = (form: Record<string, string> = {}): ReturnType<typeof get> =>
  post('/wallet/connect', { address: gateway.address, budget: '50', currency: 'USD', period: 'monthly', ...form })

/** The address of the link to the gateway. */
async function asked(): Promise<URL> {
  const { text } = await get('/wallet/leave')
  return new URL(/class="button main" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '')
}
const granted = (more: object = {}): object => ({
  access_token: 'ab'.repeat(32),
  refresh_token: 'refresh-one',
  expires_in: 2_592_000,
  token_type: 'Bearer',
  nwc_connection_uri: pairing(),
  budget: '5000.USD/monthly',
  commands: ['get_info', 'pay_invoice'],
  nwc_expires_at: null,
  uma_address: '$alice@localhost:3000',
  ...more,
})
function pairing(): string {
  const secret = Buffer.from(generateSecretKey()).toString('hex')
  return `nostr+walletconnect://${wallet.publicKey}?relay=${relay.url}&lud16=$alice@localhost:3000&secret=${secret}`
}
async function connected(more: object = {}): Promise<void> {
  await ask()
  const state = (await asked()).searchParams.get('state')
  gateway.token = [200, granted(more)]
  expect((await get(`/callback?code=the-code&state=${state}`)).to).toBe('/wallet')
}

describe('connecting by UMA Auth', () => {
  it('requests commands and a budget, with PKCE, a state and the shop’s identity', async () => {
    expect(await ask()).toMatchObject({ status: 303, to: '/wallet/leave' })
    const query = Object.fromEntries((await asked()).searchParams)
    expect(query).toMatchObject({
      redirect_uri: `${ROOT}/callback`,
      code_challenge_method: 'S256',
      required_commands: 'get_info',
      budget: '5000.USD/monthly',
      uma_username: '$alice',
    })
    expect(query.client_id).toMatch(new RegExp(`^npub1\\w+ ${relay.url}$`))
    expect(query.code_challenge).toHaveLength(43)
  })

  it('registers the shop on the relay with its redirect URI', async () => {
    const { text } = await get('/.well-known/nostr.json')
    const publicKey = (JSON.parse(text) as { names: { _: string } }).names._
    const kept = (): NostrEvent | undefined =>
      relay.hub.store.query({ kinds: [13_195], authors: new Set([publicKey]), tags: new Map() }, 0)[0]
    await expect.poll(() => kept()).toBeDefined()
    expect(JSON.parse(kept()?.content ?? '')).toMatchObject({
      name: 'Tern & Quill',
      allowed_redirect_urls: [`${ROOT}/callback`],
    })
  })

  it('exchanges the code with the verifier, shows the calls without their secrets, and stores everything in files of mode 600', async () => {
    await connected()
    const [form] = gateway.asked
    expect(form?.get('code')).toBe('the-code')
    expect(form?.get('code_verifier')).toHaveLength(43)
    const { text } = await get('/wallet')
    expect(text).toContain('$alice@localhost:3000')
    expect(text).toContain('50.00 USD monthly')
    expect(text).toContain('Exchange the code')
    expect(text).toMatch(
      /POST http:\/\/127\.0\.0\.1:\d+\/oauth\/token accept: application\/json .*content-type: application\/x-www-form-urlencoded.* code=the-co…\(cut\).*>200 .*content-type: application\/json.*&quot;access_token&quot;: &quot;ababab…\(cut\)&quot;/,
    )
    expect(text).toMatch(
      /GET http:\/\/127\.0\.0\.1:\d+\/\.well-known\/uma-configuration accept: application\/json .*>200 .*content-type: application\/json/,
    )
    for (const secret of ['refresh-one', 'ab'.repeat(32), form?.get('code_verifier') ?? 'x'])
      expect(text).not.toContain(secret)
    for (const file of ['state.json', 'nostr.key'])
      expect(statSync(join(settings.APP_DATA_DIR, file)).mode & 0o777).toBe(0o600)
  })

  it('survives a restart, in the same session', async () => {
    await connected()
    shop.stop()
    shop = startShop(settings)
    expect((await get('/wallet')).text).toContain('$alice@localhost:3000')
    cookie = ''
    expect((await get('/wallet')).text).toContain('Enter your wallet address')
  })

  it.each([
    ['access_denied', 'Denied by the user'],
    ['invalid_request', 'This shop (the app)'],
    ['server_error', 'The gateway failed'],
    ['something_new', 'This error is not part of OAuth'],
    ['toString', 'This error is not part of OAuth'],
  ])('names the side at fault when the browser returns with %s, and connects nothing', async (error, sentence) => {
    await ask()
    const state = (await asked()).searchParams.get('state')
    const back = await get(`/callback?error=${error}&error_description=%3Cb%3Eas+told&state=${state}`)
    expect(back.status).toBe(409)
    expect(back.text).toContain(sentence)
    expect(back.text).toContain('&lt;b&gt;as told')
    expect((await get(`/callback?code=late&state=${state}`)).text).toContain('WRONG_STATE')
  })

  it.each([
    [
      'an OAuth error',
      [400, { error: 'invalid_grant', error_description: 'used twice' }],
      'was already used, has expired',
    ],
    ['plain text, as the public gateway sends it', [401, 'Code challenge mismatch'], 'OAUTH_RESPONSE_IS_NOT_JSON'],
    ['a page', [502, '<html>'], 'answered 502, which is not an OAuth answer'],
    ['no token', [200, { token_type: 'Bearer' }], 'OAUTH_INVALID_RESPONSE'],
    ['no pairing URI', [200, { access_token: 'a', token_type: 'Bearer' }], 'TOKEN_INCOMPLETE'],
  ] as const)('explains a token endpoint that answers %s', async (_, token, sentence) => {
    await ask()
    const state = (await asked()).searchParams.get('state')
    gateway.token = token
    const { status, text } = await get(`/callback?code=c&state=${state}`)
    expect(status).toBe(409)
    expect(text).toContain(sentence)
    expect((await get('/wallet')).text).toContain('Enter your wallet address')
  })

  it('rejects an answer with another state, an answer in another browser, and one that was not requested', async () => {
    await ask()
    expect((await get('/callback?code=c&state=made-up')).text).toContain('WRONG_STATE')
    const state = (await asked()).searchParams.get('state')
    cookie = ''
    expect((await get(`/callback?code=c&state=${state}`)).text).toContain('WRONG_STATE')
    expect(gateway.asked).toHaveLength(0)
  })

  it('reports before the redirect that a gateway refuses a ws:// relay, and names the way that works', async () => {
    gateway.authorizes = 500
    await ask()
    const { text } = await get('/wallet/leave')
    expect(text).toContain('RELAY_REFUSED')
    expect(text).toContain(`looks apps up on wss:// relays only, and this shop is registered on ${relay.url}`)
    expect(text).toContain('Create a manual connection at the gateway and paste its pairing URI into this shop.')
    gateway.authorizes = 302
    await ask()
    expect((await get('/wallet/leave')).text).not.toContain('RELAY_REFUSED')
  })

  it('does not probe the gateway with a wss:// relay, and shows no note about relays', async () => {
    shop.stop()
    shop = startShop({ ...settings, RELAY: 'wss://relay.invalid' })
    gateway.authorizes = 500
    await ask()
    expect((await get('/wallet/leave')).text).not.toContain('RELAY_REFUSED')
  })

  it('reports a gateway that is down, before and after the login, and continues when it is back', async () => {
    gateway.discovery = () => ({
      authorization_endpoint: 'http://127.0.0.1:9/oauth/auth',
      token_endpoint: 'http://127.0.0.1:9/oauth/token',
    })
    await ask()
    expect((await get('/wallet/leave')).text).toContain('GATEWAY_DOWN')
    const state = (await asked()).searchParams.get('state')
    const down = await get(`/callback?code=c&state=${state}`)
    expect(down.text).toContain('GATEWAY_DOWN')
    // The code is still valid: reloading the page tries again.
    expect((await get(`/callback?code=c&state=${state}`)).text).toContain('GATEWAY_DOWN')
  })

  it('keeps the query of the gateway’s own address byte for byte', async () => {
    const document = gateway.discovery() as Record<string, unknown>
    const endpoint = String(document.authorization_endpoint)
    gateway.discovery = () => ({ ...document, authorization_endpoint: `${endpoint}?tenant=a%20b&k1&sig=a+b/=` })
    await ask()
    expect((await asked()).href).toContain(`${endpoint}?tenant=a%20b&k1&sig=a+b/=&response_type=code&client_id=npub1`)
  })

  it.each([
    ['USD', ' 1,240.50 ', '124050.USD/monthly'],
    ['KWD', '2,345.678', '2345678.KWD/monthly'],
    ['USD', '', null],
    ['USD', '   ', null],
  ])('asks for a budget of %s %j', async (currency, budget, expected) => {
    await ask({ budget, currency })
    expect((await asked()).searchParams.get('budget')).toBe(expected)
  })

  it('reports a VASP that is down or has no UMA Auth, and an invalid address or budget', async () => {
    expect((await ask({ address: '$alice@127.0.0.1:9' })).text).toContain('VASP_DOWN')
    expect((await ask({ address: 'alice' })).text).toContain('BAD_ADDRESS')
    expect((await ask({ budget: 'much' })).text).toContain('BAD_BUDGET')
    gateway.discovery = () => 'no JSON'
    expect((await ask()).text).toContain('it is not JSON')
  })

  it('shows the first call of a new browser next to its failure', async () => {
    const { text } = await ask({ address: '$alice@127.0.0.1:9' })
    expect(text).toContain('VASP_DOWN')
    expect(text.split('class="calls"')[1]).toContain('Ask 127.0.0.1:9 how to connect $alice@127.0.0.1:9')
  })

  it('shows the form again with the typed values and the problem at its field', async () => {
    const typed = { address: '$carol@', budget: '12.5', currency: 'EUR', period: 'weekly', life: 'day', optional: 'x' }
    const { text } = await ask(typed)
    for (const part of [
      'value="$carol@"',
      'value="12.5"',
      '<option value="EUR" selected>',
      '<option value="weekly" selected>',
      '<option value="day" selected>',
      '> x</textarea>',
    ])
      expect(text).toContain(part)
    expect(text).toMatch(/id="address"[^>]+aria-invalid="true" aria-describedby="address-problem"/)
    const { status, text: budget } = await ask({ budget: '2,345', currency: 'KWD' })
    expect(status).toBe(409)
    expect(budget).toMatch(/id="budget"[^>]+value="2,345"[^>]+aria-invalid="true" aria-describedby="budget-problem"/)
    expect(budget.slice(budget.indexOf('id="budget-problem"'))).toContain('2,345 can mean 2345 or 2.345.')
    expect(budget.match(/aria-invalid/g)).toHaveLength(1)
  })

  it('leads from a denial back to the typed address', async () => {
    await ask()
    const state = (await asked()).searchParams.get('state')
    const { text } = await get(`/callback?error=access_denied&state=${state}`)
    const back = /class="button" href="([^"]+)">Back/.exec(text)?.[1] ?? ''
    expect((await get(back)).text).toContain(`value="${gateway.address}"`)
  })
})

describe('a connection', () => {
  it('is refreshed by the button, once for two clicks, and used with its new secret', async () => {
    await connected()
    gateway.token = [200, granted({ refresh_token: 'refresh-two' })]
    await Promise.all([post('/wallet/refresh'), post('/wallet/refresh')])
    expect(gateway.asked.slice(1).map((form) => form.get('refresh_token'))).toEqual(['refresh-one'])
    await post('/wallet/refresh')
    expect(gateway.asked.at(-1)?.get('refresh_token')).toBe('refresh-two')
  })

  it('is refreshed automatically before its access ends', async () => {
    await connected({ expires_in: 0 })
    gateway.token = [200, granted()]
    await post('/wallet/call', { command: 'get_info' })
    expect(gateway.asked.at(-1)?.get('grant_type')).toBe('refresh_token')
    await post('/wallet/call', { command: 'get_info' })
    expect(gateway.asked).toHaveLength(2)
  })

  it('shows why a refresh was refused, and keeps the current connection', async () => {
    await connected()
    gateway.token = [400, { error: 'invalid_grant', error_description: 'The connection is over.' }]
    expect((await post('/wallet/refresh')).text).toContain('The connection is over.')
    expect((await get('/wallet')).text).toContain('Disconnect')
  })

  it('is revoked at the gateway when the visitor disconnects, and forgotten even when that fails', async () => {
    await connected()
    expect((await post('/wallet/disconnect')).to).toBe('/wallet')
    expect(gateway.revoked[0]?.get('token')).toBe('refresh-one')
    await connected()
    await gateway.close()
    expect((await post('/wallet/disconnect')).text).toContain('GATEWAY_DOWN')
    expect((await get('/wallet')).text).toContain('Enter your wallet address')
  })

  it('is replaced through a link from the VASP’s desk, to which the browser then returns', async () => {
    await connected()
    const link = `/wallet?${new URLSearchParams({ address: gateway.address, back: 'desk' })}`
    const { text } = await get(link)
    expect(text).toContain('Connected to $alice@localhost:3000. A new connection replaces it.')
    expect(text).toContain('<input type="hidden" name="back" value="desk" />')
    expect((await get('/wallet?back=https://evil.example&address=x')).text).not.toContain('evil.example')
    await ask({ back: 'desk' })
    const state = (await asked()).searchParams.get('state')
    gateway.token = [200, granted({ refresh_token: 'refresh-two' })]
    expect((await get(`/callback?code=the-code&state=${state}`)).to).toBe('http://localhost:3000/sandbox#shop')
    expect(gateway.revoked.map((form) => form.get('token'))).toEqual(['refresh-one'])
    await ask({ back: 'https://evil.example' })
    expect((await get(`/callback?code=the-code&state=${(await asked()).searchParams.get('state')}`)).to).toBe('/wallet')
  })

  it('leads on to the catalogue when its form was opened from the show', async () => {
    expect((await get('/wallet?back=catalogue&address=x')).text).toContain(
      '<input type="hidden" name="back" value="catalogue" />',
    )
    await ask({ back: 'catalogue' })
    gateway.token = [200, granted()]
    const state = (await asked()).searchParams.get('state')
    expect((await get(`/callback?code=the-code&state=${state}`)).to).toBe('/')
  })

  it('of the shop’s own wallet has its default permissions when the request names none, and forgets all visitors only once it exists, by a login at the shop’s own VASP', async () => {
    const visitor = async (): Promise<string> => {
      cookie = ''
      await connected()
      return cookie
    }
    const isKnown = async (of: string): Promise<boolean> => {
      cookie = of
      return !(await get('/wallet')).text.includes('Enter your wallet address')
    }
    const pair = async (role: 'merchant' | 'wallet', returned: string): Promise<void> => {
      cookie = ''
      await post(`/${role}/connect`, { address: gateway.address, life: 'none', visitors: 'forget' })
      const { text } = await get(`/${role}/leave`)
      const to = new URL(/class="button main" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '')
      if (role === 'merchant')
        expect(to.searchParams.get('required_commands')).toBe('get_info make_invoice lookup_invoice')
      gateway.token = [200, granted()]
      const answered = await get(`/callback?${returned}&state=${to.searchParams.get('state')}`)
      expect(answered.to).toBe(returned.startsWith('code=') ? `/${role}` : '')
    }
    const [one, two] = [await visitor(), await visitor()]
    await pair('merchant', 'code=the-code')
    expect([await isKnown(one), await isKnown(two)], 'with a login at another VASP').toEqual([true, true])
    shop.stop()
    shop = startShop({ ...settings, APP_EXAMPLE_DOMAIN: `127.0.0.1:${gateway.port}` })
    await pair('wallet', 'code=the-code')
    await pair('merchant', 'error=access_denied')
    expect([await isKnown(one), await isKnown(two)], 'without a login for its own wallet').toEqual([true, true])
    await pair('merchant', 'code=the-code')
    expect([await isKnown(one), await isKnown(two)]).toEqual([false, false])
    expect((await get('/')).text).not.toContain('needs a wallet before it can sell')
  })

  it('can be created from a pasted pairing URI, and an invalid URI is explained', async () => {
    expect((await post('/wallet/paste', { uri: pairing() })).to).toBe('/wallet')
    expect((await get('/wallet')).text).toContain('a pasted pairing URI')
    expect((await post('/wallet/paste', { uri: 'x' })).text).toContain('BAD_PAIRING_URI')
  })

  it('shows the answer to each command, and errors as the app sees them', async () => {
    await post('/wallet/paste', { uri: pairing() })
    answer = ({ method }) => ({
      result_type: method,
      error: { code: 'UNAUTHORIZED', message: 'From the previous connection.' },
    })
    await post('/wallet/call', { command: 'get_balance' })
    await post('/wallet/paste', { uri: pairing() })
    answer = ({ method }) => ({
      result_type: method,
      result: { balance: 124_050, currency: { code: 'USD', decimals: 2 } },
    })
    await post('/wallet/call', { command: 'get_balance' })
    answer = ({ method }) => ({ result_type: method, error: { code: 'NOT_IMPLEMENTED', message: '<i>not yet</i>' } })
    await post('/wallet/call', { command: 'lookup_user', receiver: '$bob@localhost:3000' })
    const { text } = await get('/wallet')
    expect(text).toContain('1,240.50 USD')
    expect(text.split('class="calls"')[0]).not.toContain('From the previous connection.')
    expect(text).toContain('NOT_IMPLEMENTED')
    expect(text).toContain('&lt;i&gt;not yet&lt;/i&gt;')
    await post('/wallet/call', { command: 'make_invoice', amount: 'many', description: 'x' })
    expect((await get('/wallet')).text).toContain('must be a whole number')
    expect((await post('/wallet/call', { command: 'rm' })).status).toBe(303)
  })

  it('shows the time of each answer, and fades answers from before a payment or the end of the connection', async () => {
    await post('/wallet/paste', { uri: pairing() })
    const stepOf = async (name: string): Promise<string> =>
      (await get('/wallet')).text.split(`id="${name}"`)[1]?.split('</section>')[0] ?? ''
    await post('/wallet/call', { command: 'get_budget' })
    expect(await stepOf('get_budget')).toMatch(/Answered <span class="label">\d+ \w+ \d\d:\d\d:\d\d UTC/)
    expect(await stepOf('get_budget')).not.toContain('outdated')
    await post('/wallet/call', { command: 'pay_invoice', invoice: 'lnbcrt1' })
    expect(await stepOf('get_budget')).toMatch(/outdated.*From before the last payment/)
    expect(await stepOf('pay_invoice')).not.toContain('outdated')
    await post('/wallet/call', { command: 'get_budget' })
    expect(await stepOf('get_budget')).not.toContain('outdated')
    answer = () => ({ error: { code: 'UNAUTHORIZED', message: 'Revoked.' } })
    await post('/wallet/call', { command: 'get_info' })
    for (const name of ['get_budget', 'pay_invoice'])
      expect(await stepOf(name)).toMatch(/outdated.*From before the connection ended/)
  })

  it('shows a quote with either side locked as the amounts sent and received, and pays it at that price', async () => {
    await post('/wallet/paste', { uri: pairing() })
    const sent: [string, unknown][] = []
    const payment_hash = 'ab'.repeat(32)
    answer = ({ method, params }) => {
      sent.push([method, params])
      const result =
        method === 'fetch_quote'
          ? {
              sending_currency: { code: 'USD', decimals: 2 },
              receiving_currency: { code: 'JPY', decimals: 0 },
              total_sending_amount: 1_087,
              total_receiving_amount: 1_674,
              fees: 3,
              payment_hash,
              expires_at: 1_800_000_000,
            }
          : { preimage: '11'.repeat(32) }
      return { result_type: method, result }
    }
    const form = {
      receiver: '$bob@localhost:3000',
      sending_currency_code: 'USD',
      receiving_currency_code: 'JPY',
      locked_currency_amount: '1674',
    }
    await post('/wallet/call', { command: 'fetch_quote', ...form, locked_currency_side: 'both' })
    expect((await get('/wallet')).text).toContain('is not one of the choices')
    await post('/wallet/call', { command: 'fetch_quote', ...form, locked_currency_side: 'receiving' })
    const { text } = await get('/wallet')
    for (const part of ['10.87 USD', '1,674 JPY', '0.03 USD (included)', 'Pay at this price'])
      expect(text).toContain(part)
    await post('/wallet/call', { command: 'execute_quote', payment_hash })
    expect(sent).toEqual([
      ['fetch_quote', expect.objectContaining({ locked_currency_side: 'receiving', locked_currency_amount: 1_674 })],
      ['execute_quote', { payment_hash }],
    ])
  })
})

describe('the shop', () => {
  const preimage = '11'.repeat(32)
  const payment_hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
  let paid: Answer
  let settled = false

  async function order(): Promise<string> {
    answer = (request) => {
      if (request.method === 'make_invoice') return { result: { invoice: 'lnbcrt1xyz', payment_hash } }
      if (request.method === 'lookup_invoice')
        return { result: { payment_hash, settled_at: settled ? 1_800_000_000 : null } }
      return paid(request)
    }
    settled = false
    paid = () => ({ result: { preimage } })
    await post('/merchant/paste', { uri: pairing() })
    await post('/wallet/paste', { uri: pairing() })
    return (await post('/orders', { good: 'notebook' })).to
  }

  it('refuses an order and explains why while it has no wallet', async () => {
    expect((await get('/')).text).toContain('needs a wallet before it can sell')
    expect((await post('/orders', { good: 'notebook' })).text).toContain('NO_SHOP_WALLET')
    expect((await post('/orders', { good: 'yacht' })).status).toBe(404)
  })

  it('reports to the demo whether its own wallet is connected and answers', async () => {
    const state = async (): Promise<unknown> => JSON.parse((await get('/-/own-wallet')).text)
    expect(await state()).toEqual({ connected: false, relay: null, problem: null })
    await order()
    paid = () => ({ result: {} })
    expect(await state()).toEqual({ connected: true, relay: relay.url, problem: null })
    paid = () => ({ error: { code: 'UNAUTHORIZED', message: 'Revoked.' } })
    expect(await state()).toEqual({ connected: true, relay: relay.url, problem: 'UNAUTHORIZED' })
    expect((await get('/merchant')).text).not.toContain('Check the shop’s own wallet')
  })

  it('creates an invoice at its own wallet, which the visitor’s wallet pays', async () => {
    const path = await order()
    expect((await get(path)).text).toContain('Pay 900 SAT from $alice@localhost:3000')
    expect((await post(`${path}/pay`)).to).toBe(path)
    expect((await get(path)).text).toContain('Paid. Thank you')
    await post(`${path}/pay`)
    expect((await get('/')).text).toContain('900 SAT, about 0.90 USD, paid')
  })

  it('shows each price in satoshis and in dollars, in the catalogue and on the order', async () => {
    expect(
      Array.from((await get('/')).text.matchAll(/([\d,]+) SAT<\/span>.*?about (\S+) USD/g), ([, ...two]) => two),
    ).toEqual([
      ['350', '0.35'],
      ['900', '0.90'],
      ['2,400', '2.40'],
      ['180,000', '180.00'],
    ])
    expect((await get(await order())).text).toMatch(/900 SAT<\/p> <p class="label">about 0\.90 USD/)
  })

  it('lists three calls, closed, and folds the earlier ones; the link of an answer leads into its call', async () => {
    await order()
    for (let count = 0; count < 3; count++) await post('/wallet/call', { command: 'get_info' })
    const { text } = await get('/wallet')
    const calls = /<aside class="calls".*<\/aside>/.exec(text)?.[0] ?? ''
    const [shown = '', folded = ''] = calls.split('Earlier calls: ')
    const numbers = (part: string): number[] =>
      Array.from(part.matchAll(/id="call-(\d+)"/g), ([, number]) => Number(number))
    expect(numbers(shown)).toHaveLength(3)
    expect(numbers(folded)).toHaveLength(Number.parseInt(folded, 10))
    expect(numbers(calls)).toEqual(numbers(calls).toSorted((one, other) => other - one))
    expect(calls).not.toContain('<details open')
    expect(text).toContain(`<a href="#call-${numbers(shown)[0]}">Details of the call</a>`)
    expect(shown).toMatch(/<details> <summary>(?:(?!<\/summary>).)*<\/summary> <div id="call-/)
    expect(shown).toMatch(/Signed and encrypted with the connection’s secret, [0-9a-f]{6}…\(cut\)/)
  })

  it('shows when an invoice was created and when it expires, however late the page is opened', async () => {
    const { text } = await get(await order())
    const [, made = '', end = ''] = /wallet at ([^,]+ UTC), valid until\s+([^.]+ UTC)/.exec(text) ?? []
    const at = (words: string): number => Date.parse(words.replace(' at ', ' '))
    expect(made).toMatch(/^\d+ \w+ \d{4} at \d\d:\d\d UTC$/)
    expect(Math.abs(at(made) - Date.now())).toBeLessThan(120_000)
    expect(at(end) - at(made)).toBe(15 * 60_000)
  })

  it('links to the statement at the VASP and to the connection at the gateway', async () => {
    const path = await order()
    expect((await get(path)).text).toContain(
      '<a href="http://localhost:3000/wallets">Statement of $alice@localhost:3000</a>',
    )
    await connected()
    const { text } = await get(path)
    const link = /href="([^"]+)">This connection at the gateway/.exec(text)?.[1] ?? ''
    expect(link).toMatch(new RegExp(`^http://127.0.0.1:${gateway.port}/\\?connection=[0-9a-f]{64}$`))
  })

  it('links to no page of a VASP whose pages it does not know', async () => {
    const path = await order()
    shop.stop()
    shop = startShop({ ...settings, APP_VASP_URL: undefined })
    const { text } = await get(path)
    expect(text).toContain('Pay 900 SAT from $alice@localhost:3000')
    expect(text).not.toContain('localhost:3000/wallets')
  })

  it('allows another attempt after a plain refusal, and says where to raise a budget', async () => {
    const path = await order()
    paid = () => ({ error: { code: 'QUOTA_EXCEEDED', message: 'Too much.' } })
    await post(`${path}/pay`)
    expect((await get(path)).text).toMatch(
      /QUOTA_EXCEEDED.*Raise the budget on the connection’s page at the gateway.*Pay 900 SAT/,
    )
  })

  it.each([
    ['no answer came', () => undefined],
    ['something broke', () => ({ error: { code: 'INTERNAL', message: 'It broke.' } })],
    ['the proof does not match', () => ({ result: { preimage: '22'.repeat(32) } })],
  ])('offers a lookup instead of another payment when %s', async (_, reply) => {
    // Long enough for all answers.
    shop.stop()
    shop = startShop({ ...settings, APP_REPLY_TIMEOUT_MS: 3_000 })
    const path = await order()
    paid = reply
    await post(`${path}/pay`)
    const { text } = await get(path)
    expect(text).toContain('not certain whether this was paid')
    expect(text).not.toContain('Pay 900 SAT from')
    await post(`${path}/look`)
    expect((await get(path)).text).toContain('Pay 900 SAT from')
    settled = true
    await post(`${path}/look`)
    expect((await get(path)).text).toContain('Paid. Thank you')
  })

  it('shows an order only to the browser that placed it', async () => {
    const path = await order()
    cookie = ''
    expect((await get(path)).status).toBe(404)
    expect((await post(`${path}/pay`)).status).toBe(404)
  })
})

describe('the files', () => {
  it('stop the start when they cannot be read, with one line that says what to do', () => {
    writeFileSync(join(settings.APP_DATA_DIR, 'state.json'), '{')
    expect(() => startShop(settings)).toThrow(/state\.json cannot be read: it is not JSON\. Move it away/)
    writeFileSync(join(settings.APP_DATA_DIR, 'state.json'), '{"merchant":{"id":"1"}}')
    expect(() => startShop(settings)).toThrow(/state\.json cannot be read: merchant\.address is missing/)
    writeFileSync(join(settings.APP_DATA_DIR, 'nostr.key'), 'no key')
    expect(() => startShop(settings)).toThrow(/nostr\.key contains no key: delete it/)
  })
})

describe('the shop at another name of this machine', () => {
  it('sends the browser to its configured address, where its forms work', async () => {
    const { port } = new URL(ROOT)
    const host = `127.0.0.1:${port}`
    const response = await shop.fetch(new Request(`http://${host}/wallet?x=a%20b`, { headers: { host } }))
    expect([response.status, response.headers.get('location')]).toEqual([307, `${ROOT}/wallet?x=a%20b`])
    const refused = await shop.fetch(
      new Request(`http://${host}/orders`, { method: 'POST', headers: { host, origin: `http://${host}` } }),
    )
    expect(refused.status).toBe(403)
    expect(await refused.text()).toContain(`Open the shop at ${ROOT}`)
  })
})

describe('the pages', () => {
  it('reject forms from other sites, and bodies that are too large', async () => {
    expect((await post('/wallet/disconnect', {}, 'http://localhost:8080')).status).toBe(403)
    expect((await post('/wallet/paste', { uri: 'x'.repeat(70_000) })).status).toBe(413)
  })

  it('have a strict content security policy and no inline script', async () => {
    for (const path of ['/', '/wallet', '/merchant', '/nowhere']) {
      const response = await shop.fetch(new Request(ROOT + path))
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(await response.text()).not.toMatch(/<script(?! src="\/busy-forms\.js" defer><\/script>)|style=/)
    }
  })

  it('report that the relay is down', async () => {
    const lonely = startShop({ ...settings, RELAY: 'ws://127.0.0.1:9' })
    const text = await (await lonely.fetch(new Request(`${ROOT}/`))).text()
    expect(text).toContain('cannot be reached')
    lonely.stop()
  })
})

it('the shop is ready only once its relay has confirmed the registration', async () => {
  const statusOf = async (of: RunningShop): Promise<number> => (await of.fetch(new Request(`${ROOT}/-/ready`))).status
  const lonely = startShop({ ...settings, RELAY: 'ws://127.0.0.1:9' })
  expect(await statusOf(lonely)).toBe(503)
  lonely.stop()
  await expect.poll(() => statusOf(shop)).toBe(200)
})
