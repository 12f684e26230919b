import { getPublicKey } from 'nostr-tools/pure'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeVasp, loginToken, makeTestGateway, pair, registerApp, USD, type TestGateway } from '@/test/gateway/gateway'

const vasp = new FakeVasp()
let gateway: TestGateway
let cookie = ''

beforeAll(() => vasp.start())
afterAll(() => vasp.close())
beforeEach(async () => {
  vasp.answers.clear()
  gateway = await makeTestGateway({ apiBase: `${vasp.origin}/umanwc/v1`, publicPem: vasp.pair.publicPem })
  cookie = await gateway.signIn(loginToken(vasp))
})
afterEach(() => gateway.close())

async function read(response: Response | Promise<Response>): Promise<{ status: number; text: string; to: string }> {
  const { status, headers } = await response
  const text = (await (await response).text()).replaceAll(/\s+/g, ' ')
  return { status, text, to: headers.get('location') ?? '' }
}
const get = (path: string): ReturnType<typeof read> => read(gateway.app.request(path, { headers: { Cookie: cookie } }))
const post = (path: string, form: string | Record<string, string>): ReturnType<typeof read> =>
  read(gateway.post(path, new URLSearchParams(form), cookie))

it('names the login URL on its start page, signed in or not, so that a VASP recognizes a gateway', async () => {
  const tag = '<meta name="uma-vasp-login-url" content="http://localhost:3000/connect" />'
  expect((await get('/')).text).toContain(tag)
  expect((await read(gateway.app.request('/'))).text).toContain(tag)
})

const TYPED = 'name=Mine&group=read_balance&limited=yes&amount=12%2C5&frequency=weekly&life=week&decision=connect'

function expectTyped(text: string): void {
  for (const part of [
    'value="12,5"',
    '<option value="weekly" selected>',
    '<option value="week" selected>',
    'Use a point for decimals.',
  ])
    expect(text).toContain(part)
  expect(text).toMatch(/name="amount"[^>]+aria-invalid="true" aria-describedby="amount-problem"/)
  expect(text).toMatch(/value="read_balance" checked/)
  expect(text).toMatch(/value="send_payments" (?!checked)/)
}

describe('a rejected form', () => {
  it('of a manual connection is shown with the typed values, and the problem next to its field', async () => {
    const { status, text } = await post('/connection/new', TYPED)
    expect(status).toBe(400)
    expect(text).toContain('value="Mine"')
    expectTyped(text)
    expect(vasp.callsOf('/token')).toHaveLength(0)
  })

  it('of a manual connection reports an empty name and an invalid expiry', async () => {
    const { text } = await post('/connection/new', TYPED.replace('name=Mine', 'name=+'))
    expect(text).toMatch(/name="name"[^>]+aria-invalid="true".*Enter a name\./)
    const late = await post('/connection/new', TYPED.replace('12%2C5', '1').replace('life=week', 'life=asked'))
    expect(late.text).toMatch(/name="life" aria-invalid="true".*This time has passed\./)
  })

  it('of an app’s approval is shown with the typed values, and can be sent again', async () => {
    const app = await registerApp(gateway.relay, { query: { required_commands: 'get_info' } })
    app.query.set('optional_commands', 'get_balance pay_invoice')
    app.query.set('token', loginToken(vasp))
    app.query.set('currency', JSON.stringify(USD))
    const returned = await gateway.app.request(`/oauth/auth?${app.query}`)
    cookie = returned.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const ask = new URLSearchParams(returned.headers.get('location')?.split('?')[1]).get('ask') ?? ''
    const { status, text } = await post('/apps/new', `${TYPED}&ask=${ask}`)
    expect(status).toBe(400)
    expectTyped(text)
    const again = await post('/apps/new', `${TYPED.replace('12%2C5', '12.50')}&ask=${ask}`)
    expect(again.to).toContain(`${app.redirectUri}?code=`)
  })

  it('of a new budget is shown on the connection’s page', async () => {
    await pair(gateway, loginToken(vasp), { budget: '50.00' })
    const id = gateway.store.connectionsOf('alice')[0]?.id ?? ''
    const { status, text } = await post(`/connection/${id}/budget`, { amount: 'lots' })
    expect(status).toBe(400)
    expect(text).toMatch(/value="lots" [^>]*required aria-invalid="true" aria-describedby="amount-problem"/)
    expect(text).toContain('Enter an amount above zero')
    expect(gateway.store.connection(id)?.limit?.amount).toBe(5_000)
  })
})

describe('an amount in a form', () => {
  const KWD = { code: 'KWD', symbol: 'KD', name: 'Kuwaiti Dinar', decimals: 3 }
  const typed = (amount: string): Record<string, string> => ({
    ...Object.fromEntries(new URLSearchParams(TYPED)),
    amount,
  })
  const newLimit = (amount: string): ReturnType<typeof read> => post('/connection/new', typed(amount))

  it.each([
    [USD, '1,500', 150_000],
    [USD, ' 1,240.50 ', 124_050],
    [KWD, '2,345.678', 2_345_678],
    [KWD, '2345', 2_345_000],
  ])('of %o is taken with groups of three digits: %j', async (currency, amount, expected) => {
    const currencies = [{ currency, multiplier: 10_000, min: 1, max: 1_000_000 }]
    vasp.answers.set('GET /info', () => ({ body: { pubkey: 'x', network: 'regtest', methods: [], currencies } }))
    cookie = await gateway.signIn(loginToken(vasp), currency)
    expect((await newLimit(amount)).status).toBe(303)
    expect(gateway.store.connections()[0]?.limit?.amount).toBe(expected)
    const { id } = gateway.store.connections()[0] ?? { id: '' }
    await post(`/connection/${id}/budget`, { amount: '3,000.5' })
    expect(gateway.store.connection(id)?.limit?.amount).toBe(currency === USD ? 300_050 : 3_000_500)
  })

  it('that is blank is not zero and not the old one', async () => {
    await pair(gateway, loginToken(vasp), { budget: '50.00' })
    const id = gateway.store.connectionsOf('alice')[0]?.id ?? ''
    for (const amount of ['', '  ']) expect((await post(`/connection/${id}/budget`, { amount })).status).toBe(400)
    expect(gateway.store.connection(id)?.limit?.amount).toBe(5_000)
  })
})

it('has a header with the user, the list of connections and the sign-out on each page of a user, and on no other', async () => {
  await pair(gateway, loginToken(vasp))
  const path = `/connection/${gateway.store.connectionsOf('alice')[0]?.id}`
  const header = (text: string): string => /<header>.*<\/header>/.exec(text)?.[0] ?? ''
  const denied = await post('/connection/new', 'name=Mine&decision=deny')
  vasp.answers.set('POST /token', () => ({ status: 500, body: {} }))
  const refused = await post('/connection/new', 'name=Mine&life=none&decision=connect')
  expect([denied.text, refused.text].map((text) => /<h1>[^<]+/.exec(text)?.[0])).toEqual([
    '<h1>Request denied',
    '<h1>The connection was not created',
  ])
  const missing = [await get('/connection/none'), await get('/none'), await get('/apps/new')]
  expect(missing.map(({ status }) => status)).toEqual([404, 404, 400])
  for (const { text } of [await get('/connection/new'), await get(path), denied, refused, ...missing]) {
    expect(header(text)).toContain('<p>$alice@localhost:3000</p>')
    expect(header(text)).toMatch(/<a href="\/" ?>Connections<\/a>/)
    expect(header(text)).toMatch(/action="\/logout".*Sign out of the gateway/)
  }
  expect(header((await get('/')).text)).toContain('<a href="/" aria-current="page">Connections</a>')
  cookie = ''
  for (const { text } of [await get('/'), await get('/none')])
    expect(header(text)).not.toMatch(/Connections|\$alice|logout/)
})

it('shows what a connection can do by the groups of the approval page, in the list and with the commands on its own page', async () => {
  await pair(gateway, loginToken(vasp))
  const [connection] = gateway.store.connectionsOf('alice')
  gateway.store.change(connection?.id ?? '', () => ({ permissions: ['get_info', 'get_balance', 'lookup_invoice'] }))
  const always = 'See your address and currencies, and what an amount costs'
  const list = (await get('/')).text
  expect(list).toContain(`manual · ${always}, Read your balance, Read your payment history`)
  expect(list).not.toMatch(/get_balance|Send payments/)
  const own = (await get(`/connection/${connection?.id}`)).text
  expect(Array.from(own.matchAll(/<li>([^<]+)<br \/><span class="label">([^<]+)/g), ([, ...parts]) => parts)).toEqual([
    [always, 'get_info'],
    ['Read your balance', 'get_balance'],
    ['Read your payment history', 'lookup_invoice'],
  ])
})

describe('the page of a connection', () => {
  it('has the way to end it apart from the calls to try', async () => {
    await pair(gateway, loginToken(vasp))
    const { text } = await get(`/connection/${gateway.store.connectionsOf('alice')[0]?.id}`)
    const sections = text.split('<h2>')
    expect(sections.find((each) => each.startsWith('Disconnect'))).toContain(
      '<button class="grave">Disconnect</button>',
    )
    expect(sections.find((each) => each.startsWith('Try it'))).not.toContain('Disconnect')
  })

  it('shows each call to the VASP with its query and its time', async () => {
    await pair(gateway, loginToken(vasp), { budget: '50.00' })
    const id = gateway.store.connectionsOf('alice')[0]?.id ?? ''
    vasp.answers.set('GET /budget_estimate', () => ({ body: { estimated_budget_currency_amount: 1 } }))
    await post(`/connection/${id}/call`, { command: 'get_budget' })
    expect((await get(`/connection/${id}`)).text).toMatch(
      /<code>GET \/umanwc\/v1\/budget_estimate\?sending_currency_code=USD&amp;sending_currency_amount=5000&amp;budget_currency_code=SAT<\/code>.{0,60}\d+ \w{3,4} \d\d:\d\d:\d\d UTC · \d+&nbsp;ms/,
    )
  })

  it('formats times as the VASP does, in UTC', async () => {
    await pair(gateway, loginToken(vasp), { budget: '50.00', frequency: 'daily', life: 'week' })
    const { text } = await get(`/connection/${gateway.store.connectionsOf('alice')[0]?.id}`)
    const moment = String.raw`\d+ \w+ \d{4} at \d\d:\d\d UTC`
    expect(text).toMatch(new RegExp(`on ${moment}. Expires ${moment}.`))
    expect(text).toMatch(new RegExp(`daily, resets ${moment}`))
    expect(text).not.toContain('GMT')
  })

  it('links to the VASP, where the token can be revoked', async () => {
    await pair(gateway, loginToken(vasp))
    const { text } = await get(`/connection/${gateway.store.connectionsOf('alice')[0]?.id}`)
    expect(text).toContain('<a href="http://localhost:3000/connections">revoke the token at Northbank</a>')
  })

  it('is shown to its owner only, and obeys no other user', async () => {
    await pair(gateway, loginToken(vasp), { budget: '10.00', frequency: 'weekly' })
    const [connection] = gateway.store.connectionsOf('alice')
    const path = `/connection/${connection?.id}`
    cookie = await gateway.signIn(loginToken(vasp, { sub: 'bob', address: '$bob@localhost:3000' }))
    for (const answer of [
      await get(path),
      await post(`${path}/call`, { command: 'get_balance' }),
      await post(`${path}/budget`, { amount: '99.00' }),
      await post(`${path}/disconnect`, {}),
    ]) {
      expect(answer.status).toBe(404)
      expect(answer.text).not.toContain('$alice@')
    }
    expect(gateway.store.connectionsOf('alice')).toEqual([connection])
  })

  it('opens by the app’s key, after a sign-in, for its owner only', async () => {
    const uri = await pair(gateway, loginToken(vasp))
    const key = getPublicKey(Buffer.from(/secret=(\w+)/.exec(uri)?.[1] ?? '', 'hex'))
    const id = gateway.store.connectionsOf('alice')[0]?.id
    expect((await get(`/?connection=${key}`)).to).toBe(`/connection/${id}`)
    cookie = await gateway.signIn(loginToken(vasp, { sub: 'bob', address: '$bob@localhost:3000' }))
    expect((await get(`/?connection=${key}`)).to).toBe('/')
    cookie = ''
    const login = new URL((await get(`/?connection=${key}`)).to)
    expect(decodeURIComponent(login.searchParams.get('redirect_uri') ?? '')).toContain(`%2F%3Fconnection%3D${key}`)
  })
})
