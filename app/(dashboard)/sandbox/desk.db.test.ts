import { randomUUID } from 'node:crypto'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { createEventRecorder } from '@/lib/events/recorder'
import { rateOf } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import { processSingletons } from '@/lib/platform/process-singletons'
import { pinnedRatesOf } from '@/lib/sandbox/for-pages'
import { createSandboxUser } from '@/lib/sandbox/users/sandbox-users'
import { listWallets } from '@/lib/wallets/queries'
import { pullFaucet } from '@/lib/wallets/service'
import { describeOnBothEngines } from '@/test/databases/databases'
import { pageSession, pageUser } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { usePinnedRates } from '@/test/vasp/pinned-rates'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { POST as changeRate } from '../../sandbox/rates/route'
import { POST as reset } from '../../sandbox/reset/route'
import { POST as changeState } from '../../sandbox/state/route'
import { POST as unpair } from '../../sandbox/unpair/route'
import DeskPage from './page'

let pastGate = true
let temporary = false
vi.mock(import('@/app/(dashboard)/require-user'), () => ({
  requireUser: async () => ({ ...pageUser('alice'), temporary }),
}))
vi.mock('next/headers', () => ({ cookies: async () => ({ get: () => ({ value: 'a token|its hash' }) }) }))
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => pastGate,
  sessionOfRequest: async () => pageSession('alice'),
}))
vi.mock(import('@/components/live-page'), () => ({ LivePage: () => null }))

const NOT_FOUND = 'NEXT_HTTP_ERROR_FALLBACK;404'

describeOnBothEngines('The sandbox desk', (db) => {
  let vasp: TestVasp
  let onDemand = ''
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
    await seedOpeningBalances(db(), vasp.app.house)
    const created = await createSandboxUser(vasp.app)
    if (created === 'full') throw new Error('there is room for one user')
    onDemand = created.username
  })
  beforeEach(() => {
    processSingletons().set('application', vasp.app)
    pastGate = true
  })

  const show = async (values: Record<string, string> = {}): Promise<string> =>
    renderToStaticMarkup(await DeskPage({ searchParams: Promise.resolve(values) }))
  const form = (fields: Readonly<Record<string, string>>, Origin = 'http://localhost:3000'): Request =>
    new Request('http://localhost:3000/sandbox', {
      method: 'POST',
      headers: { Origin, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ form_user: 'alice', ...fields }),
    })
  const send = (fields: Readonly<Record<string, string>>): Promise<Response> => reset(form(fields))
  const change = (todo: string, user: string): Promise<Response> => changeState(form({ do: todo, user }))
  const stateOf = async (username: string): Promise<string | undefined> =>
    (await db().prisma.user.findUnique({ where: { id: username } }))?.status
  const withSettings = (settings: Partial<TestVasp['app']['settings']>): void =>
    void processSingletons().set('application', { ...vasp.app, settings: { ...vasp.app.settings, ...settings } })
  const balancesOf = async (username: string): Promise<bigint[]> =>
    (await listWallets(db(), username, rateOf)).map(({ available }) => available)

  it('resets one user and leaves the others unchanged', async () => {
    const opening = await balancesOf('bob')
    await pullFaucet(vasp.app, 'bob', 'SAT', 'one')
    await pullFaucet(vasp.app, 'alice', 'USD', 'one')
    const [bob, alice] = [await balancesOf('bob'), await balancesOf('alice')]
    expect(bob).not.toEqual(opening)
    const nobodies: readonly Record<string, string>[] = [{}, { user: '' }, { user: '  ' }, { all: '' }]
    for (const nobody of nobodies) expect((await send(nobody)).status).toBe(400)
    expect((await send({ user: 'bob' })).headers.get('location')).toBe('/sandbox?reset=1&pending=0')
    expect([await balancesOf('bob'), await balancesOf('alice')]).toEqual([opening, alice])
  })

  it('resets all users, and the books still balance', async () => {
    const opening = await balancesOf(onDemand)
    await pullFaucet(vasp.app, onDemand, 'USD', 'all')
    const answer = await send({ all: 'yes' })
    expect(answer.headers.get('location')).toMatch(/^\/sandbox\?reset=[1-9]\d*&pending=0$/)
    expect(await balancesOf(onDemand)).toEqual(opening)
    expect((await vasp.app.audit.run('everything')).breaches).toEqual([])
  })

  it('lists temporary users on a sandbox for one machine, and resets them there only', async () => {
    expect(await show()).toContain(onDemand)
    withSettings({ teamPassword: 'a team password' })
    expect(await show()).not.toContain(onDemand)
    expect((await send({ user: onDemand })).status).toBe(404)
    expect((await send({ user: 'bob' })).status).toBe(303)
    expect((await send({ user: 'no-such-user' })).status).toBe(404)
  })

  it('lists events without an owner, and links to them where they can be opened', async () => {
    const recorder = createEventRecorder({ db: db(), log: vasp.app.log })
    recorder.record({ kind: 'login', name: 'login refused', summary: 'from a stranger' })
    recorder.record({ kind: 'wallet', name: 'test money added', userId: 'bob', summary: 'of Bob' })
    await recorder.close()
    const page = await show()
    expect(page).toContain('from a stranger')
    expect(page).not.toContain('of Bob')
    expect(page).toMatch(/\/developers\/wire\/\d+/)
    withSettings({ teamPassword: 'a team password' })
    expect(await show()).not.toMatch(/\/developers\/wire\/\d+/)
  })

  it('shows what each wallet can spend, the default wallet first', async () => {
    const shown = async (): Promise<string[]> => {
      const rows = (await show()).split('<li class="line')
      const row = rows.find((each) => each.includes('<code class="break-words">$bob@')) ?? ''
      return Array.from(row.matchAll(/<span class="figures[^"]*">(.*?)<\/span><\/li>/g), ([, amount = '']) =>
        amount.replaceAll(/<[^>]*>/g, ''),
      )
    }
    const stored = async (): Promise<string[]> =>
      (await listWallets(db(), 'bob', rateOf)).map(
        ({ available, currency }) => `${formatAmount(available, currency.code)} ${currency.code}`,
      )
    const before = await stored()
    expect(await shown()).toEqual(before)
    await pullFaucet(vasp.app, 'bob', 'SAT', 'desk')
    expect(await stored()).not.toEqual(before)
    expect(await shown()).toEqual(await stored())
  })

  it('signs in as another test user, but not as a user with a password of its own, and not from a temporary user', async () => {
    const page = await show()
    expect(page).toMatch(
      /action="\/api\/auth\/callback\/credentials".*value="a token".*value="bob" aria-label="Sign in as Bob"/s,
    )
    expect(page).not.toContain(`value="${onDemand}" aria-label="Sign in`)
    expect(page).not.toContain('Sign in as Alice')
    await change('suspend', 'bob')
    expect(await show()).not.toContain('Sign in as Bob')
    await change('resume', 'bob')
    temporary = true
    expect(await show()).not.toContain('Sign in as')
    temporary = false
    withSettings({ printedPassword: undefined })
    expect(await show()).not.toContain('Sign in as')
  })

  it('asks before it resets, and only the question is red', async () => {
    expect(await show()).not.toContain('action="/sandbox/reset"')
    withSettings({ sampleAppUrl: 'http://localhost:3200/' })
    expect(await show()).not.toContain('button-danger')
    expect(await show({ confirm: 'all' })).toMatch(/<button class="button button-danger">Reset \d+ users/)
    expect(await show({ confirm: 'user:bob' })).toContain('Reset Bob?')
    expect(await show({ confirm: 'all' })).toMatch(/Reset all \d+ users\?/)
  })

  it('suspends a user after a confirmation, and resumes it; a second request changes nothing', async () => {
    expect(await show()).not.toContain('value="suspend"')
    expect(await show({ confirm: 'suspend:bob' })).toMatch(/Suspend Bob\?.*existing invoices stay payable/s)
    for (let count = 0; count < 2; count++)
      expect((await change('suspend', 'bob')).headers.get('location')).toBe('/sandbox?changed=bob')
    expect(await stateOf('bob')).toBe('suspended')
    const page = await show({ changed: 'bob' })
    expect(page).toContain('Bob is suspended.')
    expect(page).toContain('aria-label="Resume Bob"')
    expect(page).not.toContain('aria-label="Suspend Bob"')
    for (let count = 0; count < 2; count++) await change('resume', 'bob')
    expect(await show({ changed: 'bob' })).toContain('Bob is active.')
    expect(await stateOf('bob')).toBe('active')
  })

  it('never suspends the user who is signed in, and states this in advance', async () => {
    const page = await show({ confirm: 'suspend:alice' })
    expect(page).toContain('You cannot suspend your own user.')
    expect(page).not.toContain('Suspend Alice')
    expect((await change('suspend', 'alice')).status).toBe(403)
    expect(await stateOf('alice')).toBe('active')
  })

  it('changes the state of listed users only, and through its own forms only', async () => {
    expect((await change('suspend', onDemand)).status).toBe(303)
    expect((await change('resume', onDemand)).status).toBe(303)
    expect((await changeState(form({ do: 'suspend', user: 'bob' }, 'https://evil.example'))).status).toBe(403)
    expect((await change('remove', 'bob')).status).toBe(400)
    expect((await change('suspend', 'no-such-user')).status).toBe(404)
    withSettings({ teamPassword: 'a team password' })
    expect((await change('suspend', onDemand)).status).toBe(404)
    expect([await stateOf(onDemand), await stateOf('bob')]).toEqual(['active', 'active'])
  })

  it('shows whether the shop is paired, and unpairs it after a confirmation', async () => {
    const shop = 'http://localhost:3200/'
    const connect = async (userId: string, appHost: string | null, permissions: string[]): Promise<string> => {
      const ids = { id: randomUUID(), userId }
      await db().prisma.loginGrant.create({ data: { ...ids, appHost, expiresAt: new Date(Date.now() + 60_000) } })
      await db().prisma.connection.create({ data: { ...ids, loginGrantId: ids.id, name: 'a connection', permissions } })
      return ids.id
    }
    const isRevoked = async (id: string): Promise<boolean> =>
      (await db().prisma.connection.findUniqueOrThrow({ where: { id } })).revokedAt !== null
    expect(await show()).not.toContain('The sample shop')
    withSettings({ sampleAppUrl: shop })
    const others = [
      await connect('alice', 'localhost:3200', ['make_invoice', 'pay_invoice']),
      await connect('bob', 'other.example', ['make_invoice']),
      await connect('bob', null, ['make_invoice']),
    ]
    const notPaired = await show()
    expect(notPaired).toContain('Not paired')
    expect(notPaired).toContain('http://localhost:3200/merchant?address=%24bob%40localhost%3A3000&amp;back=desk')
    const paired = await connect('bob', 'localhost:3200', ['get_info', 'make_invoice', 'lookup_invoice'])
    expect(await show()).toMatch(/● Paired.*\$bob@localhost:3000/s)
    expect(await show()).not.toContain('action="/sandbox/unpair"')
    expect(await show({ confirm: 'unpair' })).toContain('action="/sandbox/unpair"')
    expect((await unpair(form({}, 'https://evil.example'))).status).toBe(403)
    const ofTemporary = await connect(onDemand, 'localhost:3200', ['make_invoice'])
    withSettings({ sampleAppUrl: shop, teamPassword: 'a team password' })
    expect((await unpair(form({}))).headers.get('location')).toBe('/sandbox?unpaired=1#shop')
    expect(await show({ unpaired: '1' })).toContain('The shop is unpaired.')
    expect(await Promise.all([paired, ofTemporary, ...others].map(isRevoked))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
  })

  it('pins, moves and unpins a rate, and shows it', async () => {
    await usePinnedRates(vasp)
    const priceOf = (code: string): bigint | undefined =>
      pinnedRatesOf(vasp.app)
        ?.list()
        .find((rate) => rate.code === code)?.currentUnits
    const sendRate = (todo: string, fields: Readonly<Record<string, string>> = {}): Promise<Response> =>
      changeRate(form({ do: todo, currency: 'USD', ...fields }))
    const location = async (answer: Promise<Response>): Promise<string | null> => (await answer).headers.get('location')

    expect(await location(sendRate('pin', { price: '90,000.50' }))).toBe('/sandbox?rate=USD#rates')
    expect(priceOf('USD')).toBe(9_000_050n)
    expect(await show({ rate: 'USD' })).toMatch(/1 bitcoin is pinned at 90,000\.50 USD\..*Unpin USD/s)
    await sendRate('-10', { price: 'not read by a step' })
    expect(priceOf('USD')).toBe(8_100_045n)
    await sendRate('pin', { currency: 'JPY', price: '20000000' })
    await sendRate('unpin')
    expect([priceOf('USD'), priceOf('JPY')]).toEqual([10_000_000n, 20_000_000n])
    await sendRate('unpin-all')
    expect(priceOf('JPY')).toBe(15_400_000n)
    expect(await show({ rate: 'all' })).toContain('All currencies have their listed rates.')
    expect(vasp.recorded.map(({ name }) => name)).toEqual(expect.arrayContaining(['rate pinned', 'rates unpinned']))
  })

  it('keeps a typed price that is refused, and states the range beside it', async () => {
    const pinned = await usePinnedRates(vasp)
    for (const [price, code] of [
      ['', 'invalid'],
      ['-5', 'invalid'],
      ['1.001', 'invalid'],
      ['<b>', 'invalid'],
      ['9,999.99', 'range'],
      ['1000000.01', 'range'],
    ] as const) {
      const answer = await changeRate(form({ do: 'pin', currency: 'USD', price }))
      const address = new URL(answer.headers.get('location') ?? '', 'http://localhost:3000')
      expect([address.searchParams.get('error'), address.searchParams.get('price')]).toEqual([
        `price.${code}`,
        price === '' ? null : price,
      ])
      const page = await show(Object.fromEntries(address.searchParams))
      expect(page).toMatch(code === 'range' ? /between 10,000\.00 USD and 1,000,000\.00 USD/ : /Type a price in USD/)
    }
    expect(pinned.list().filter(({ isPinned }) => isPinned)).toEqual([])
    const refused: readonly Readonly<Record<string, string>>[] = [
      { do: 'pin', currency: 'SAT', price: '1' },
      { do: '50', currency: 'USD' },
      { do: 'pin' },
    ]
    for (const fields of refused) expect((await changeRate(form(fields))).status).toBe(400)
    expect((await changeRate(form({ do: '1', currency: 'USD' }, 'https://evil.example'))).status).toBe(403)
  })

  it('exists with the sandbox tools only, and behind the team gate', async () => {
    const refused = async (): Promise<void> => {
      await expect(show()).rejects.toThrow(NOT_FOUND)
      expect((await send({ user: 'bob' })).status).toBe(404)
      expect((await change('suspend', 'bob')).status).toBe(404)
      expect((await unpair(form({}))).status).toBe(404)
      expect((await changeRate(form({ do: '1', currency: 'USD' }))).status).toBe(404)
    }
    pastGate = false
    await refused()
    pastGate = true
    withSettings({ sandboxTools: false })
    await refused()
  })
})
