import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { readWallets } from '@/lib/ledger/accounts'
import { snapshotOf } from '@/lib/ledger/rate-snapshot'
import { rateOf, type CurrencyCode } from '@/lib/money/currencies'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newUser } from '@/test/vasp/money'
import { pageSession, pageUser } from '@/test/vasp/page-user'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import WalletPage from '../[code]/page'
import { POST as book } from './book/route'
import ConvertPage from './page'
import { POST as price } from './price/route'

let username = ''
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  sessionOfRequest: async () => pageSession(username),
}))
vi.mock(import('@/app/(dashboard)/require-user'), () => ({ requireUser: async () => pageUser(username) }))
// They need a router, which only a browser has.
vi.mock(import('@/components/live-page'), () => ({ LivePage: () => null }))
vi.mock(import('@/components/ui/expires-in'), () => ({ ExpiresIn: () => null }))

type Fields = Readonly<Record<string, string>>

describeOnBothEngines('A conversion', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    vasp = await makeTestVasp(db())
  })
  beforeEach(async () => {
    processSingletons().set('application', vasp.app)
    username = await newUser(vasp, { USD: 10_000n, EUR: 10_000n })
  })

  /** A dollar is worth a tenth more from now on. */
  const moveRate = (): void => {
    const moved = snapshotOf((code) => {
      const { numerator, denominator } = rateOf(code)
      return code === 'USD'
        ? { numerator: numerator * 11n, denominator: denominator * 10n }
        : { numerator, denominator }
    })
    processSingletons().set('application', { ...vasp.app, rates: { ...vasp.app.rates, current: () => moved } })
  }
  const moveClock = (seconds: number): void => {
    const clock = { now: () => new Date(vasp.app.clock.now().getTime() + seconds * 1_000) }
    processSingletons().set('application', { ...vasp.app, clock })
  }
  const send = async (route: typeof book, fields: Fields): Promise<{ path: string; query: Fields }> => {
    const answer = await route(
      new Request('http://localhost:3000/wallets', {
        method: 'POST',
        headers: { Origin: 'http://localhost:3000', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ form_user: username, ...fields }),
      }),
    )
    const { pathname, searchParams } = new URL(answer.headers.get('location') ?? `/${answer.status}`, 'http://x')
    return { path: pathname, query: Object.fromEntries(searchParams) }
  }
  const priced = async (amount: string, from = 'USD', to = 'EUR'): Promise<Fields> => {
    const { path, query } = await send(price, { from, to, amount })
    expect([path, query.error]).toEqual(['/wallets/convert', undefined])
    return query
  }
  const pageOf = async (query: Fields): Promise<string> =>
    renderToStaticMarkup(await ConvertPage({ searchParams: Promise.resolve(query) }))
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(' .', '.')
  const walletAfter = async ({ path, query }: { path: string; query: Fields }): Promise<string> =>
    renderToStaticMarkup(
      await WalletPage({
        params: Promise.resolve({ code: path.slice('/wallets/'.length) }),
        searchParams: Promise.resolve(query),
      }),
    )
  const balances = async (): Promise<Partial<Record<CurrencyCode, bigint>>> =>
    Object.fromEntries((await readWallets(db(), username)).map(({ code, available }) => [code, available]))
  const UNTOUCHED = { USD: 10_000n, EUR: 10_000n }
  const BOOKED = { USD: 7_500n, EUR: 12_300n }

  it('shows rate, result, rounding and time limit before it is booked, and the same figures afterwards', async () => {
    const fields = await priced('25')
    const page = await pageOf(fields)
    for (const text of ['1 EUR = 1.08696 USD', '23.00 EUR', '25.00 USD', 'down to 0.01 EUR', 'Price valid until'])
      expect(page).toContain(text)
    expect(await balances()).toEqual(UNTOUCHED)
    const done = await send(book, fields)
    expect(await balances()).toEqual(BOOKED)
    expect(await walletAfter(done)).toContain('25.00 USD gave 23.00 EUR at 1 EUR = 1.08696 USD.')
  })

  it('is booked once when its form is sent many times at the same instant, and each answer shows it', async () => {
    const fields = await priced('25')
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(book, fields)))
    expect(await balances()).toEqual(BOOKED)
    for (const answer of answers) expect(answer).toEqual({ path: '/wallets/EUR', query: { converted: fields.id } })
  })

  it('asks again when the rate has changed, and books only the price that was shown', async () => {
    const fields = await priced('25')
    moveRate()
    expect(await pageOf(fields)).toMatch(/The rate has changed\. Nothing was converted\..*Get a new price/)
    const again = await send(book, fields)
    expect([again.path, again.query.error, again.query.gives]).toEqual(['/wallets/convert', 'changed', '2530'])
    expect(await balances()).toEqual(UNTOUCHED)
    expect(await pageOf(again.query)).toMatch(/The rate has changed\..*25\.30 EUR.*Convert 25\.00 USD/)
    const done = await send(book, again.query)
    expect(await balances()).toEqual({ USD: 7_500n, EUR: 12_530n })
    expect(await walletAfter(done)).toContain('25.00 USD gave 25.30 EUR')
  })

  it('shows the booked price when its form is sent again after the rate has changed or the price has expired', async () => {
    const fields = await priced('25')
    const first = await send(book, fields)
    moveRate()
    expect(await send(book, fields)).toEqual(first)
    expect(await walletAfter(first)).toContain('25.00 USD gave 23.00 EUR at 1 EUR = 1.08696 USD.')
    moveClock(vasp.app.settings.quoteSeconds)
    expect(await send(book, fields)).toEqual(first)
    expect(await balances()).toEqual(BOOKED)
  })

  it('asks again after the price has expired', async () => {
    const fields = await priced('25')
    moveClock(vasp.app.settings.quoteSeconds)
    expect(await pageOf(fields)).toMatch(/This price has expired\. Nothing was converted\..*Get a new price/)
    const again = await send(book, fields)
    expect([again.path, again.query.error, again.query.id]).toEqual(['/wallets/convert', 'expired', fields.id])
    expect(await balances()).toEqual(UNTOUCHED)
  })

  it('moves nothing for a price that the address has made up, and shows the real one', async () => {
    const fields = await priced('25')
    const better = { ...fields, gives: '999999' }
    expect(await pageOf(better)).toMatch(/The rate has changed\..*23\.00 EUR.*Get a new price/)
    expect((await send(book, better)).query.error).toBe('changed')
    const later = { ...fields, until: String(Number(fields.until) + 3_600) }
    expect(await pageOf(later)).toContain('This price has expired.')
    expect((await send(book, later)).query.error).toBe('expired')
    expect(await balances()).toEqual(UNTOUCHED)
  })

  it('is not booked a second time with other values under its id', async () => {
    const fields = await priced('25')
    await send(book, fields)
    const other = { ...(await priced('30')), id: fields.id ?? '' }
    const answer = await send(book, other)
    expect(await walletAfter(answer)).toContain('25.00 USD gave 23.00 EUR')
    expect(await balances()).toEqual(BOOKED)
  })

  it('says so when the wallet does not hold the amount, before the price and after it', async () => {
    const refused = await send(price, { from: 'USD', to: 'EUR', amount: '100.01' })
    expect([refused.path, refused.query.error]).toEqual(['/wallets/USD', 'amount.too-much'])
    const [first, second] = [await priced('60'), await priced('60')]
    await send(book, first)
    const late = await send(book, second)
    expect([late.path, late.query.error, late.query.amount]).toEqual(['/wallets/USD', 'amount.too-much', '60.00'])
    expect(await balances()).toEqual({ USD: 4_000n, EUR: 15_520n })
  })

  it('is not shown to another user', async () => {
    const done = await send(book, await priced('25'))
    username = await newUser(vasp, { EUR: 1n })
    expect(await walletAfter(done)).not.toContain('gave')
  })

  it('is not looked for by a text that is no id', async () => {
    for (const id of ['\0', "'", 'x'.repeat(5_000)])
      expect(await walletAfter({ path: '/wallets/EUR', query: { converted: id } })).not.toContain('gave')
  })

  it.each([
    [{ amount: '0' }],
    [{ gives: '-1' }],
    [{ until: 'soon' }],
    [{ id: 'x' }],
    [{ from: 'XYZ' }],
    [{ to: 'JPY' }],
    [{ to: 'USD' }],
  ])('has no page and no booking for an address with %j', async (wrong) => {
    const fields = { ...(await priced('25')), ...wrong } as Fields
    await expect(pageOf(fields)).rejects.toThrow('NEXT_HTTP_ERROR_FALLBACK;404')
    const { path, query } = await send(book, fields)
    expect(path === '/wallets/convert' || query.converted !== undefined).toBe(false)
    expect(await balances()).toEqual(UNTOUCHED)
  })
})
