import { randomUUID } from 'node:crypto'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { pageSession, pageUser } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { POST as next } from '../../sandbox/show/next/route'
import { POST as revoke } from '../../sandbox/show/revoke/route'
import ShowPage from './page'

let pastGate = true
let signedIn = 'khalid'
vi.mock(import('@/app/(dashboard)/require-user'), () => ({ requireUser: async () => pageUser(signedIn) }))
vi.mock('next/headers', () => ({ cookies: async () => ({ get: () => ({ value: 'a token|its hash' }) }) }))
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => pastGate,
  sessionOfRequest: async () => pageSession(signedIn),
}))
vi.mock(import('./calls'), () => ({ Calls: () => 'the list of calls' as never }))

const NOT_FOUND = 'NEXT_HTTP_ERROR_FALLBACK;404'
const SHOP = 'http://127.0.0.1:9'

describeOnBothEngines('The show', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db(), { SAMPLE_APP_URL: `${SHOP}/` })
  })
  beforeEach(() => {
    processSingletons().set('application', vasp.app)
    pastGate = true
    signedIn = 'khalid'
  })
  const show = async (values: Record<string, string> = {}): Promise<string> =>
    renderToStaticMarkup(await ShowPage({ searchParams: Promise.resolve(values) }))
  const form = (Origin = 'http://localhost:3000', fields: Readonly<Record<string, string>> = {}): Request =>
    new Request('http://localhost:3000/show', {
      method: 'POST',
      headers: { Origin, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ form_user: signedIn, ...fields }),
    })
  const withSettings = (settings: Partial<TestVasp['app']['settings']>): void =>
    void processSingletons().set('application', { ...vasp.app, settings: { ...vasp.app.settings, ...settings } })

  it('leads through eight steps, opens the other apps in tabs that cannot reach it, and frames nothing', async () => {
    const page = await show()
    const titles = Array.from(page.matchAll(/<h2[^>]*>([^<]+)/g), ([, title]) => title)
    expect(titles).toEqual([
      'The shop asks for a wallet',
      `Sign in at ${vasp.app.settings.vaspName}`,
      'Approve',
      'Pay',
      'The calls as they happen',
      'Over the budget',
      'Revoke',
      'Next audience',
    ])
    expect(page).toContain(`href="${SHOP}/wallet?address=%24alice%40localhost%3A3000&amp;back=catalogue"`)
    const links = Array.from(page.matchAll(/<a [^>]*href="http[^>]*>/g), ([link]) => link)
    expect(links.length).toBeGreaterThan(2)
    expect(links.filter((link) => !link.includes('target="_blank" rel="noopener"'))).toEqual([])
    expect(page).not.toMatch(/<iframe|<form|token=/)
  })

  it('has the calls only once they are asked for, and keeps them while it asks', async () => {
    expect(await show()).not.toContain('the list of calls')
    const page = await show({ calls: 'shown' })
    expect(page).toContain('the list of calls')
    expect(page).toContain('href="/show?calls=shown&amp;confirm=next#confirmation"')
  })

  it('says that the shop does not answer, and that this server knows none', async () => {
    expect(await show()).toContain(`The shop at ${SHOP} does not answer. Start it, as npm run demo does`)
    withSettings({ teamPassword: 'a team password' })
    expect(await show()).not.toContain('does not answer')
    withSettings({ sampleAppUrl: undefined })
    expect(await show()).toContain('This server knows no shop.')
  })

  it('says that no sign-in page will appear for Alice, and how to become someone else', async () => {
    expect(await show()).not.toContain('Continue as Khalid')
    signedIn = 'alice'
    expect(await show()).toMatch(/no page asks.*action="\/api\/auth\/callback\/credentials".*Continue as Khalid/s)
    withSettings({ printedPassword: undefined })
    expect(await show()).not.toContain('Continue as Khalid')
  })

  it('revokes the user’s connections with which the shop can pay, after a question, and no others', async () => {
    signedIn = 'alice'
    const connect = async (userId: string, appHost: string, permissions: string[]): Promise<string> => {
      const ids = { id: randomUUID(), userId }
      await db().prisma.loginGrant.create({ data: { ...ids, appHost, expiresAt: new Date(Date.now() + 60_000) } })
      await db().prisma.connection.create({ data: { ...ids, loginGrantId: ids.id, name: 'a connection', permissions } })
      return ids.id
    }
    const isRevoked = async (id: string): Promise<boolean> =>
      (await db().prisma.connection.findUniqueOrThrow({ where: { id } })).revokedAt !== null
    expect(await show({ confirm: 'revoke' })).toContain('there is nothing to revoke')
    const own = await connect('alice', '127.0.0.1:9', ['get_info', 'pay_invoice'])
    const others = [
      await connect('alice', '127.0.0.1:9', ['get_info', 'make_invoice']),
      await connect('alice', 'other.example', ['pay_invoice']),
      await connect('bob', '127.0.0.1:9', ['pay_invoice']),
    ]
    expect(await show()).not.toContain('action="/sandbox/show/revoke"')
    expect(await show({ confirm: 'revoke' })).toContain('action="/sandbox/show/revoke"')
    expect((await revoke(form('https://evil.example'))).status).toBe(403)
    expect(await isRevoked(own)).toBe(false)
    expect((await revoke(form())).headers.get('location')).toBe('/show?revoked=1#revoked')
    expect(await Promise.all([own, ...others].map(isRevoked))).toEqual([true, false, false, false])
    expect((await revoke(form(undefined, { calls: 'shown' }))).headers.get('location')).toBe(
      '/show?calls=shown&revoked=1#revoked',
    )
    const revoked = await show({ revoked: '1' })
    expect(revoked).toContain('✓ Revoked.')
    expect(revoked).not.toContain('confirm=revoke')
  })

  it('asks before it prepares for the next audience, says what is reset, and then what happened', async () => {
    expect(await show()).not.toContain('action="/sandbox/show/next"')
    expect(await show({ confirm: 'next' })).toMatch(
      /This resets 5 users: .* The shop is paired again, and forgets the wallets and orders of its visitors\. You stay signed in as khalid\..*action="\/sandbox\/show\/next"/s,
    )
    expect((await next(form('https://evil.example'))).status).toBe(403)
    expect((await next(form())).headers.get('location')).toBe('/show?reset=5&pending=0&shop=shop#next')
    const page = await show({ reset: '5', pending: '0', shop: 'shop' })
    expect(page).toContain('✓ 5 users reset.')
    expect(page).toContain(`The shop at ${SHOP} does not answer. It is not paired, and still knows its visitors.`)
    expect(await show({ reset: '5', pending: '0', shop: 'paired' })).toContain('✓ The shop is paired again')
    expect(await show({ reset: '5', pending: '0', shop: 'gateway' })).toContain('so the shop is not paired')
    expect(await show({ reset: '5', pending: '0', shop: 'refused' })).toContain('the shop was not paired')
    expect(await show({ reset: '5', pending: '0', shop: '<b>' })).not.toContain('users reset')
  })

  it('is not there without the sandbox tools and before the team password', async () => {
    withSettings({ sandboxTools: false })
    await expect(show()).rejects.toThrow(NOT_FOUND)
    expect([(await next(form())).status, (await revoke(form())).status]).toEqual([404, 404])
    processSingletons().set('application', vasp.app)
    pastGate = false
    await expect(show()).rejects.toThrow(NOT_FOUND)
    expect([(await next(form())).status, (await revoke(form())).status]).toEqual([404, 404])
  })
})
