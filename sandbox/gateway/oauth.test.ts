import { createServer, type AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import {
  FakeVasp,
  loginToken,
  makeTestGateway,
  nwcClient,
  pair,
  registerApp,
  USD,
  type TestApp,
  type TestGateway,
} from '@/test/gateway/gateway'

const vasp = new FakeVasp()
let gateway: TestGateway
let app: TestApp

beforeAll(() => vasp.start())
afterAll(() => vasp.close())
beforeEach(async () => {
  vasp.answers.clear()
  gateway = await makeTestGateway({ apiBase: `${vasp.origin}/umanwc/v1`, publicPem: vasp.pair.publicPem })
  app = await registerApp(gateway.relay)
})
afterEach(() => gateway.close())

const start = async (changes: Readonly<Record<string, string | undefined>> = {}): Promise<Response> => {
  const query = new URLSearchParams(app.query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name)
    else query.set(name, value)
  }
  return gateway.app.request(`/oauth/auth?${query}`)
}

const loggedIn = () => ({ token: loginToken(vasp), currency: JSON.stringify(USD) })

/** Returns from the VASP to the approval page, and reads its request id, cookie, text and headers. */
async function comeBack(
  currency: typeof USD = USD,
): Promise<{ cookie: string; ask: string; page: string; headers: Headers }> {
  const query = new URLSearchParams(app.query)
  query.set('token', loginToken(vasp))
  query.set('currency', JSON.stringify(currency))
  const response = await gateway.app.request(`/oauth/auth?${query}`)
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const location = response.headers.get('location') ?? ''
  const approval = await gateway.app.request(location, { headers: { Cookie: cookie } })
  const ask = new URLSearchParams(location.split('?')[1]).get('ask') ?? ''
  return { cookie, ask, page: await approval.text(), headers: approval.headers }
}

async function decide(form: readonly (readonly [string, string])[]): Promise<URL> {
  const { cookie, ask } = await comeBack()
  const fields = new URLSearchParams([
    ['ask', ask],
    ...(form.some(([name]) => name === 'life') ? [] : [['life', 'none']]),
    ['frequency', 'none'],
    ...form.map(([a, b]) => [a, b]),
  ] as [string, string][])
  const response = await gateway.post('/apps/new', fields, cookie)
  return new URL(response.headers.get('location') ?? `http://none/?status=${response.status}`)
}

const connect = (extra: readonly (readonly [string, string])[] = []): Promise<URL> =>
  decide([['decision', 'connect'], ['group', 'read_balance'], ['group', 'send_payments'], ...extra])

async function token(
  changes: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await gateway.app.request('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({ client_id: app.clientId, ...changes }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const exchange = (code: string, changes: Readonly<Record<string, string>> = {}): ReturnType<typeof token> =>
  token({
    grant_type: 'authorization_code',
    code,
    redirect_uri: app.redirectUri,
    code_verifier: app.verifier,
    ...changes,
  })

const codeOf = async (): Promise<string> => (await connect()).searchParams.get('code') ?? ''

describe('the start of an app’s login', () => {
  it('leads to the VASP with the app’s unchanged query, encoded once', async () => {
    const response = await start()
    expect(response.status).toBe(302)
    const login = new URL(response.headers.get('location') ?? '')
    expect(login.origin + login.pathname).toBe('http://localhost:3000/connect')
    expect(login.searchParams.get('redirect_uri')).toBe(`http://localhost:8080/oauth/auth?${app.query}`)
  })

  it.each([
    ['no client_id', { client_id: undefined }, 400, 'client_id'],
    ['no required command', { required_commands: '' }, 400, 'required_commands'],
    ['no code_challenge', { code_challenge: undefined }, 400, 'code_challenge'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 400, 'S256'],
    ['a challenge of the wrong length', { code_challenge: 'short' }, 400, '43 characters'],
    ['a budget that cannot be read', { budget: 'plenty' }, 400, '5000.USD/weekly'],
    ['an expiry that has passed', { expires_at: '1000' }, 400, 'expires_at'],
    ['an expiry that cannot be read', { expires_at: 'soon' }, 400, 'expires_at'],
    ['a client_id without a relay', { client_id: 'npub1x' }, 400, 'client_id'],
    [
      'a relay on another machine without encryption',
      { client_id: `${'a'.repeat(64)} ws://relay.example` },
      400,
      'client_id',
    ],
    ['a required command that the wallet lacks', { required_commands: 'get_info sign_message' }, 400, 'sign_message'],
    ['a redirect_uri that is not registered', { redirect_uri: 'http://localhost:3200/other' }, 403, 'did not register'],
    ['plain http to another machine', { redirect_uri: 'http://shop.example/callback' }, 403, 'not allowed'],
    ['a script as redirect_uri', { redirect_uri: 'javascript:alert(1)' }, 403, 'not allowed'],
  ])('is rejected with a message for %s', async (_why, changes, status, words) => {
    const response = await start(changes)
    expect(response.status).toBe(status)
    expect(await response.text()).toContain(words)
  })

  it.each(['redirect_uri', 'state', 'client_id', 'budget', 'code_challenge', 'response_type', 'uma_username', 'later'])(
    'is an invalid_request when %s is given twice',
    async (name) => {
      for (const again of ['other', app.query.get(name) ?? 'x']) {
        const query = new URLSearchParams(app.query)
        if (!query.has(name)) query.set(name, 'x')
        query.append(name, again)
        const response = await gateway.app.request(`/oauth/auth?${query}`)
        expect(response.status).toBe(400)
        expect(await response.text()).toContain(`invalid_request: the app sent ${name} twice`)
      }
    },
  )

  it.each(['http://127.0.0.1:53219/cb', 'http://127.0.0.1/cb', 'http://[::1]:8123/cb'])(
    'accepts %s: the port of a registered loopback address is free',
    async (redirect_uri) => {
      const allowed_redirect_urls = ['http://127.0.0.1:9590/cb', 'http://[::1]/cb']
      app = await registerApp(gateway.relay, { identity: { allowed_redirect_urls } })
      expect((await start({ redirect_uri })).status).toBe(302)
      expect((await start({ redirect_uri: redirect_uri.replace('/cb', '/CB') })).status).toBe(403)
    },
  )

  it.each(['https://shop.example/cb#x', 'https://user@shop.example/cb'])('refuses %s', async (redirect_uri) => {
    for (const allowed_redirect_urls of [undefined, [redirect_uri]]) {
      app = await registerApp(gateway.relay, { identity: { allowed_redirect_urls } })
      expect((await start({ redirect_uri })).status).toBe(403)
    }
  })

  it('is answered with 404 for an app that is not on its relay', async () => {
    expect((await start({ client_id: `${'ab'.repeat(32)} ${gateway.relay.url}` })).status).toBe(404)
  })

  it('reports a relay that is down', async () => {
    const response = await start({ client_id: `${'ab'.repeat(32)} ws://localhost:1`, ...loggedIn() })
    expect(response.status).toBe(502)
    expect(await response.text()).toContain('does not answer')
  })

  it('reports a relay that is full or refuses the question, and does not say that the app is unknown', async () => {
    for (const serve of [
      (socket: WebSocket) => socket.close(1013, 'too many clients'),
      (socket: WebSocket) => socket.on('message', () => socket.send('["CLOSED","sub:1","auth-required: sign in"]')),
    ]) {
      const relay = new WebSocketServer({ port: 0, host: '127.0.0.1' })
      await new Promise((resolve) => relay.once('listening', resolve))
      relay.on('connection', serve)
      const { port } = relay.address() as AddressInfo
      const response = await start({ client_id: `${'ab'.repeat(32)} ws://127.0.0.1:${port}`, ...loggedIn() })
      expect(response.status).toBe(502)
      relay.close()
    }
  })

  it('connects to no relay but its own before the user has logged in', async () => {
    let connections = 0
    const other = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => other.listen(0, 'localhost', resolve))
    const { port } = other.address() as AddressInfo
    for (const relay of [
      `ws://localhost:${port}`,
      `wss://localhost:${port}/`,
      `ws://localhost:${port}/?x=${gateway.relay.url}`,
    ]) {
      const client_id = `${'ab'.repeat(32)} ${relay}`
      const response = await start({ client_id })
      expect(new URL(response.headers.get('location') ?? '').pathname).toBe('/connect')
      for (const wrong of ['', 'x', loginToken(vasp).slice(0, -8)])
        expect((await start({ client_id, token: wrong, currency: JSON.stringify(USD) })).status).toBe(400)
      expect((await start({ client_id, redirect_uri: 'javascript:alert(1)' })).status).toBe(403)
      expect(connections).toBe(0)
    }
    expect((await start({ client_id: `${'ab'.repeat(32)} ws://localhost:${port}`, ...loggedIn() })).status).toBe(502)
    expect(connections).toBe(1)
    other.close()
  })

  it.each([19, 30_000_000, -1, 1.5, '2'])('refuses a currency with %j decimals', async (decimals) => {
    const response = await start({ token: loginToken(vasp), currency: JSON.stringify({ ...USD, decimals }) })
    const page = await response.text()
    expect([response.status, page.length < 20_000]).toEqual([400, true])
    expect(page).toContain('no valid currency')
  })

  it.each(['symbol', 'name'])('refuses a currency whose %s is longer than a page can show', async (field) => {
    const currency = JSON.stringify({ ...USD, [field]: 'W'.repeat(2_000) })
    expect((await start({ token: loginToken(vasp), currency })).status).toBe(400)
  })
})

describe('the approval page', () => {
  it('shows the app, the required permissions and the requested budget, and its form may redirect only to the app', async () => {
    app = await registerApp(gateway.relay, { query: { required_commands: 'get_info pay_invoice' } })
    const { page, headers } = await comeBack()
    expect(page).toContain('A shop')
    expect(page).toContain('localhost:3200')
    expect(page).toContain('· required')
    expect(page).toContain('value="50.00"')
    expect(headers.get('content-security-policy')).toMatch(
      /form-action 'self' http:\/\/localhost:3000 http:\/\/localhost:3200;/,
    )
  })

  it('warns about an app that registered no address, and names the exact origin that receives the code', async () => {
    app = await registerApp(gateway.relay, {
      identity: { allowed_redirect_urls: undefined },
      query: { redirect_uri: 'https://evil.example:8443/callback' },
    })
    const { page } = await comeBack()
    expect(page).toContain('did not register')
    expect(page).toContain('<code>https://evil.example:8443</code>')
  })

  it.each([
    ['https://xn--shp-hna.example/x', 'https://xn--shp-hna.example'],
    ['https://shöp.example/x', new URL('https://shöp.example/').origin],
    ['com.example.shop://callback', 'com.example.shop: (an app on this device)'],
  ])('names the origin of %s as %s', async (redirect_uri, place) => {
    app = await registerApp(gateway.relay, {
      identity: { allowed_redirect_urls: undefined },
      query: { redirect_uri },
    })
    expect((await comeBack()).page).toContain(`<code>${place}</code>`)
  })

  it.each([
    ['My \u202Eshop\u2066', 'My shop'],
    ['\u061CA\r\n\u2028shop\u200F', 'A shop'],
    ['x'.repeat(79) + '\u{1F600}', 'x'.repeat(79)],
  ])('shows the name %j without what would change the text around it', async (name, shown) => {
    app = await registerApp(gateway.relay, { identity: { name } })
    expect((await comeBack()).page).toContain(`<strong>${shown}</strong>`)
  })

  it.each(['\u202E', ' \u200B ', '\u2800\u3164'])(
    'does not show the name %j, of which nothing is visible',
    async (name) => {
      app = await registerApp(gateway.relay, { identity: { name, display_name: 'Second name' } })
      expect((await comeBack()).page).toContain('<strong>Second name</strong>')
    },
  )

  it.each([[null], [[]]])(
    'enforces the one list of addresses that an app filled, beside one that is %j',
    async (unset) => {
      const identity = { name: null, display_name: '', allowed_redirect_urls: unset }
      app = await registerApp(gateway.relay, {
        identity: { ...identity, allowed_redirect_uris: ['http://localhost:3200/callback'] },
      })
      expect((await comeBack()).page).toContain('Unnamed app')
      expect((await start({ redirect_uri: 'https://evil.example/' })).status).toBe(403)
    },
  )

  it('does not warn about an app that registered its address', async () => {
    expect((await comeBack()).page).not.toContain('did not register')
  })

  it.each(['seconds', 'ISO 8601'])('offers the expiry that the app requests in %s, and uses it', async (form) => {
    const end = Math.floor(Date.now() / 1000) + 7_000
    const expires_at = form === 'seconds' ? String(end) : new Date(end * 1000).toISOString()
    app = await registerApp(gateway.relay, { query: { expires_at } })
    expect((await comeBack()).page).toContain('value="asked" selected')
    const { body } = await exchange((await connect([['life', 'asked']])).searchParams.get('code') ?? '')
    expect(body).toMatchObject({ nwc_expires_at: end, expires_in: expect.any(Number) as number })
    expect(vasp.callsOf('/token').at(-1)?.body).toMatchObject({ expiration: end })
    gateway.aheadSeconds = 7_001
    const client = await nwcClient(String(body.nwc_connection_uri))
    expect((await client.call('get_info')).error).toMatchObject({ code: 'UNAUTHORIZED' })
    client.close()
  })

  it('accepts the requested expiry only where one was requested', async () => {
    expect((await connect([['life', 'asked']])).searchParams.get('status')).toBe('400')
  })

  it.each([
    ['70000.SAT/weekly', '70,000 SAT'],
    ['1000.SAT', '1,000 SAT'],
    ['1000', '1,000 SAT'],
    ['1000/daily', '1,000 SAT'],
    ['1000.KWD', '1.000 KWD'],
    ['5.XYZ', '5 in the smallest unit of XYZ'],
  ])(
    'suggests no amount for a budget in another currency, and asks for one in the user’s: %s',
    async (budget, words) => {
      app = await registerApp(gateway.relay, { query: { budget } })
      const page = (await comeBack()).page.replaceAll(/\s+/g, ' ')
      expect(page).toContain(`The app asked for a budget of ${words}. Your wallet uses USD. Enter a budget in USD.`)
      expect(page).toMatch(/name="amount" value="" /)
    },
  )

  it('reads a budget without a currency as satoshis, for a user whose currency is SAT', async () => {
    app = await registerApp(gateway.relay, { query: { budget: '1000' } })
    const { page } = await comeBack({ code: 'SAT', symbol: '₿', name: 'Satoshi', decimals: 0 })
    expect(page).toContain('value="1000"')
    expect(page).not.toContain('The app asked for a budget')
  })

  it.each<Record<string, string>>([
    { budget: '0' },
    { budget: '0.USD/weekly' },
    { expires_at: '0' },
    { expires_at: '' },
    { optional_commands: '' },
  ])('reads a zero or an empty text as a value that the app left out: %o', async (query) => {
    app = await registerApp(gateway.relay, { query: { budget: '', ...query } })
    const page = (await comeBack()).page.replaceAll(/\s+/g, ' ')
    expect(page).toMatch(/name="amount" value="500\.00"/)
    expect(page).toMatch(/value="none" selected>Never/)
  })

  it('returns access_denied with the state to the app on denial, and sends no request to the VASP', async () => {
    vasp.seen.length = 0
    const back = await decide([['decision', 'deny']])
    expect(back.origin + back.pathname).toBe(app.redirectUri)
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'state of the app' })
    expect(vasp.seen).toEqual([])
  })

  it.each([
    ['?close', '?close&'],
    ['?next=%2Fa%20b', '?next=%2Fa%20b&'],
    ['?sig=a+b/=&k1', '?sig=a+b/=&k1&'],
    ['?', '?'],
  ])('returns to the app’s own address, its query byte for byte: %s', async (query, kept) => {
    const redirect_uri = `http://localhost:3200/callback${query}`
    app = await registerApp(gateway.relay, {
      identity: { allowed_redirect_urls: [redirect_uri] },
      query: { redirect_uri },
    })
    const { cookie, ask } = await comeBack()
    const response = await gateway.post('/apps/new', { ask, decision: 'deny' }, cookie)
    expect(response.headers.get('location')).toBe(
      `http://localhost:3200/callback${kept}error=access_denied&error_description=Denied%20by%20the%20user.&state=state%20of%20the%20app`,
    )
  })

  it('requests exactly the granted commands from the VASP on approval, and returns with a code', async () => {
    const back = await connect()
    expect([...back.searchParams.keys()].toSorted()).toEqual(['code', 'state'])
    const asked = vasp.callsOf('/token').at(-1)?.body
    expect(asked).toEqual({ permissions: ['lookup_user', 'get_info', 'get_budget', 'pay_invoice', 'get_balance'] })
  })

  it('grants every required group, and an optional group only when it was chosen', async () => {
    app = await registerApp(gateway.relay, { query: { required_commands: 'make_invoice' } })
    await decide([['decision', 'connect']])
    expect(vasp.callsOf('/token').at(-1)?.body?.permissions).toEqual([
      'lookup_user',
      'get_info',
      'get_budget',
      'make_invoice',
    ])
  })

  it('names the VASP as the cause when it is down, stores nothing, and allows a retry', async () => {
    vasp.answers.set('GET /info', () => ({ body: '', cut: true }))
    const { cookie, ask } = await comeBack()
    const form = { ask, decision: 'connect', life: 'none', frequency: 'none' }
    const response = await gateway.post('/apps/new', form, cookie)
    expect(response.status).toBe(502)
    expect(await response.text()).toContain('of the VASP')
    expect(gateway.store.connections()).toEqual([])
    vasp.answers.clear()
    expect((await gateway.post('/apps/new', form, cookie)).status).toBe(303)
  })

  it.each([
    ['amount', '0'],
    ['amount', '1.234'],
    ['amount', ''],
    ['frequency', 'hourly'],
    ['life', 'for ever'],
  ])('rejects %s %j and keeps the request', async (field, value) => {
    const { cookie, ask } = await comeBack()
    const form = {
      ask,
      decision: 'connect',
      life: 'none',
      frequency: 'none',
      limited: 'yes',
      amount: '1.00',
      [field]: value,
    }
    expect((await gateway.post('/apps/new', form, cookie)).status).toBe(400)
    expect((await gateway.app.request(`/apps/new?ask=${ask}`, { headers: { Cookie: cookie } })).status).toBe(200)
  })
})

describe('the token endpoint', () => {
  it('returns a key, a pairing URI and the granted permissions, to any origin, and the key works', async () => {
    const { status, body } = await exchange(
      (
        await connect([
          ['limited', 'yes'],
          ['amount', '50.00'],
        ])
      ).searchParams.get('code') ?? '',
    )
    expect(status).toBe(200)
    expect(body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 2_592_000,
      budget: '5000.USD',
      commands: ['lookup_user', 'get_info', 'get_budget', 'pay_invoice', 'get_balance'],
      nwc_expires_at: null,
      uma_address: '$alice@localhost:3000',
    })
    expect(body.nwc_connection_uri).toContain(`secret=${String(body.access_token)}`)
    vasp.answers.set('GET /balance', () => ({ body: { balance: 5 } }))
    const client = await nwcClient(String(body.nwc_connection_uri))
    expect(await client.call('get_balance')).toMatchObject({ result: { balance: 5 } })
    client.close()
  })

  it('percent-encodes the values of the pairing URI, so that the address of a user with a plus sign is read unchanged', async () => {
    const uri = await pair(gateway, loginToken(vasp, { sub: 'carol+shop', address: '$carol+shop@localhost:3000' }))
    const relay = encodeURIComponent(gateway.relay.url)
    expect(uri).toContain(`?relay=${relay}&lud16=%24carol%2Bshop%40localhost%3A3000&secret=`)
    expect(new URL(uri).searchParams.get('lud16')).toBe('$carol+shop@localhost:3000')
  })

  it('allows pages of every origin', async () => {
    const response = await gateway.app.request('/oauth/token', {
      method: 'POST',
      headers: { Origin: 'https://shop.example' },
      body: '',
    })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  it.each([
    ['a wrong verifier', { code_verifier: 'x'.repeat(43) }, 'Code challenge mismatch'],
    ['another redirect_uri', { redirect_uri: 'http://localhost:3200/other' }, 'Redirect URI mismatch'],
    ['the id of another client', { client_id: `${'ab'.repeat(32)} ws://localhost:7447` }, 'Invalid authorization code'],
    ['a code that was never issued', { code: 'x' }, 'Invalid authorization code'],
  ])('rejects %s', async (_why, changes, description) => {
    const code = await codeOf()
    const refused = await exchange(code, changes)
    expect(refused).toEqual({ status: 400, body: { error: 'invalid_grant', error_description: description } })
    expect((await exchange(code)).status).toBe(200)
  })

  it.each([
    [{}, 'invalid_request'],
    [{ grant_type: 'authorization_code' }, 'invalid_request'],
    [{ grant_type: '' }, 'invalid_request'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_grant'],
  ])('answers %j with %s', async (form, error) => {
    expect(await token(form as Record<string, string>)).toMatchObject({ status: 400, body: { error } })
  })

  it.each(['grant_type', 'code', 'redirect_uri', 'code_verifier', 'client_id', 'refresh_token', 'later'])(
    'answers invalid_request when %s is given twice, and the code stays usable',
    async (name) => {
      const code = await codeOf()
      const form = { client_id: app.clientId, grant_type: 'authorization_code', code, redirect_uri: app.redirectUri }
      const body = new URLSearchParams({ ...form, code_verifier: app.verifier })
      body.append(name, 'x')
      if (body.getAll(name).length === 1) body.append(name, 'x')
      const response = await gateway.app.request('/oauth/token', { method: 'POST', body })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: 'invalid_request' })
      expect((await exchange(code)).status).toBe(200)
    },
  )

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'])(
    'are reached by POST only: %s is named as the fault, for pages of any origin too',
    async (method) => {
      for (const path of ['/oauth/token', '/oauth/revoke']) {
        const response = await gateway.app.request(path, { method, headers: { Origin: 'https://app.example' } })
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
        expect(response.headers.get('access-control-allow-origin')).toBe('*')
        if (method !== 'HEAD') expect(await response.json()).toMatchObject({ error: 'invalid_request' })
      }
    },
  )

  it.each(['all', 'code', 'client_id', 'grant_type'])(
    'refuses parameters in the URL, where logs keep them: %s',
    async (which) => {
      const code = await codeOf()
      const form = { client_id: app.clientId, grant_type: 'authorization_code', code, redirect_uri: app.redirectUri }
      const all = new URLSearchParams({ ...form, code_verifier: app.verifier })
      const [query, body] = [new URLSearchParams(), new URLSearchParams()]
      for (const [name, value] of all) (which === 'all' || which === name ? query : body).set(name, value)
      const response = await gateway.app.request(`/oauth/token?${query}`, { method: 'POST', body })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: 'invalid_request' })
      expect((await exchange(code)).status).toBe(200)
      const revoked = await gateway.app.request('/oauth/revoke?token=x', { method: 'POST', body: '' })
      expect(revoked.status).toBe(400)
    },
  )

  it('accepts a code once; a second use ends the connection of the first use', async () => {
    const code = await codeOf()
    const first = await exchange(code)
    expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const client = await nwcClient(String(first.body.nwc_connection_uri))
    expect((await client.call('get_info')).error).toMatchObject({ code: 'UNAUTHORIZED' })
    client.close()
  })

  it('accepts only one of ten concurrent exchanges of one code', async () => {
    const code = await codeOf()
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('rejects a code after ten minutes', async () => {
    const code = await codeOf()
    gateway.aheadSeconds = 600
    expect((await exchange(code)).body).toMatchObject({ error: 'invalid_grant' })
  })

  it('on refresh, issues a key that works, and invalidates the old key and refresh token', async () => {
    const first = (await exchange(await codeOf())).body
    const refresh = { grant_type: 'refresh_token', refresh_token: String(first.refresh_token) }
    const second = await token(refresh)
    expect(second.status).toBe(200)
    for (const [uri, works] of [
      [first.nwc_connection_uri, false],
      [second.body.nwc_connection_uri, true],
    ] as const) {
      const client = await nwcClient(String(uri))
      expect((await client.call('get_info')).result !== undefined).toBe(works)
      client.close()
    }
  })

  it.each(['the first', 'a later'])('ends the connection when %s refresh token is used again', async (which) => {
    const tokens = [String((await exchange(await codeOf())).body.refresh_token)]
    let last: Record<string, unknown> = {}
    for (let count = 0; count < 3; count++) {
      last = (await token({ grant_type: 'refresh_token', refresh_token: tokens.at(-1) ?? '' })).body
      tokens.push(String(last.refresh_token))
    }
    const replayed = { grant_type: 'refresh_token', refresh_token: tokens.at(which === 'the first' ? 0 : 2) ?? '' }
    // Another app does not end it: it cannot have had the token.
    expect(await token({ ...replayed, client_id: 'another app' })).toMatchObject({ status: 400 })
    const client = await nwcClient(String(last.nwc_connection_uri))
    expect((await client.call('get_info')).result).toBeDefined()
    gateway = await gateway.restart()
    expect(await token(replayed)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: expect.stringContaining('ended') },
    })
    client.close()
    expect(await token({ grant_type: 'refresh_token', refresh_token: tokens.at(-1) ?? '' })).toMatchObject({
      status: 400,
    })
    expect(gateway.store.connections()[0]?.expiresAtSeconds).not.toBeNull()
  })

  it('ends the connection when a refresh token that was exchanged is revoked', async () => {
    const first = String((await exchange(await codeOf())).body.refresh_token)
    const second = String((await token({ grant_type: 'refresh_token', refresh_token: first })).body.refresh_token)
    const body = new URLSearchParams({ token: first })
    expect((await gateway.app.request('/oauth/revoke', { method: 'POST', body })).status).toBe(200)
    expect((await token({ grant_type: 'refresh_token', refresh_token: second })).status).toBe(400)
  })

  it('rejects a refresh token that has expired', async () => {
    const first = (await exchange(await codeOf())).body
    gateway.aheadSeconds = 121 * 86_400
    expect(
      (await token({ grant_type: 'refresh_token', refresh_token: String(first.refresh_token) })).body,
    ).toMatchObject({
      error_description: 'Refresh token expired',
    })
  })

  it('keeps codes and connections across a restart', async () => {
    const code = await codeOf()
    gateway = await gateway.restart()
    expect((await exchange(code)).status).toBe(200)
  })
})

describe('revocation', () => {
  it.each(['refresh_token', 'access_token'])(
    'by the %s ends the connection, and is not an error when repeated',
    async (kind) => {
      const { body } = await exchange(await codeOf())
      for (const _ of [1, 2])
        expect(
          (
            await gateway.app.request('/oauth/revoke', {
              method: 'POST',
              body: new URLSearchParams({ token: String(body[kind]) }),
            })
          ).status,
        ).toBe(200)
      const client = await nwcClient(String(body.nwc_connection_uri))
      expect((await client.call('get_info')).error).toMatchObject({ code: 'UNAUTHORIZED' })
      client.close()
      expect((await token({ grant_type: 'refresh_token', refresh_token: String(body.refresh_token) })).status).toBe(400)
    },
  )

  it.each(['', 'token=', 'token_type_hint=refresh_token'])('of no token is an invalid_request: %j', async (body) => {
    const response = await gateway.app.request('/oauth/revoke', { method: 'POST', body: new URLSearchParams(body) })
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'token is missing.' },
    ])
  })

  it('of any other token changes nothing', async () => {
    const { body } = await exchange(await codeOf())
    for (const text of ['x', 'ab'.repeat(32), '0'.repeat(64)])
      expect(
        (await gateway.app.request('/oauth/revoke', { method: 'POST', body: new URLSearchParams({ token: text }) }))
          .status,
      ).toBe(200)
    expect((await token({ grant_type: 'refresh_token', refresh_token: String(body.refresh_token) })).status).toBe(200)
  })
})

describe('an app', () => {
  it('cannot stop the gateway with a relay that accepts the connection and sends nothing', async () => {
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const response = await start({ client_id: `${'ab'.repeat(32)} ws://localhost:${port}`, ...loggedIn() })
    expect(response.status).toBe(502)
    silent.close()
  })

  it('is approved by the user who logged in for it only', async () => {
    const { ask } = await comeBack()
    const bob = await gateway.signIn(loginToken(vasp, { sub: 'bob', address: '$bob@localhost:3000' }))
    const page = await gateway.app.request(`/apps/new?ask=${ask}`, { headers: { Cookie: bob } })
    expect(page.status).toBe(400)
    expect(await page.text()).not.toContain('A shop')
    for (const decision of ['connect', 'deny', '']) {
      const form = { ask, decision, life: 'none', frequency: 'none', group: 'read_balance' }
      for (const cookie of [bob, '']) expect((await gateway.post('/apps/new', form, cookie)).status).toBe(400)
    }
    expect(gateway.store.connections()).toEqual([])
  })

  it('receives one connection when the user double-clicks', async () => {
    const { cookie, ask } = await comeBack()
    const form = { ask, decision: 'connect', life: 'none', frequency: 'none' }
    const answers = await Promise.all([1, 2].map(() => gateway.post('/apps/new', form, cookie)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 400]))
    expect(gateway.store.connections()).toHaveLength(1)
  })

  it('receives no key for a connection that was ended before the code exchange', async () => {
    const code = await codeOf()
    const cookie = await gateway.signIn(loginToken(vasp))
    await gateway.post(`/connection/${gateway.store.connections()[0]?.id}/disconnect`, {}, cookie)
    expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})
