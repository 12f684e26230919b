import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { rateOf } from '@/lib/money/currencies'
import { processSingletons } from '@/lib/platform/process-singletons'
import { listWallets } from '@/lib/wallets/queries'
import { pullFaucet } from '@/lib/wallets/service'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { openSession, userOfSession } from '../../accounts/sessions/session-store'
import { prepareForNextAudience } from './next-audience'

interface Site {
  readonly origin: string
  /** "GET /merchant" of each request, and the bodies of forms. */
  readonly asked: string[]
}

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function site(answer: RequestListener): Promise<Site> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?', 1)[0]}`)
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      if (body !== '') asked.push(body)
      answer(request, response)
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const AWAY = 'http://127.0.0.1:9'

describeOnBothEngines('“Next audience”', (db) => {
  let gateway: Site
  let shop: Site
  let vasp: TestVasp
  /** Where the shop sends the browser, and where the gateway asks for a login. */
  let approval: string
  let login: string
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    await seedOpeningBalances(db(), (await makeTestVasp(db())).app.house)
  })
  beforeEach(async () => {
    gateway = await site((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://gateway')
      const back = encodeURIComponent(`${gateway.origin}/oauth/auth`)
      if (pathname === '/apps/new' && request.method === 'POST')
        response.writeHead(303, { Location: `${shop.origin}/merchant` }).end()
      else if (searchParams.has('token')) response.end('<input name="ask" value="the-ask">')
      else response.writeHead(302, { Location: `${login}?redirect_uri=${back}` }).end()
    })
    shop = await site((request, response) => {
      response.setHeader('Set-Cookie', 'shop.session=1')
      response.end(request.method === 'POST' ? `<a class="button main" href="${approval}">` : 'the wallet')
    })
    approval = `${gateway.origin}/oauth/auth`
    await start({ SAMPLE_APP_URL: `${shop.origin}/`, GATEWAY_ROOT_URL: gateway.origin })
    login = `${vasp.app.settings.publicOrigin}/connect`
  })

  async function start(env: Readonly<Record<string, string>>): Promise<void> {
    vasp = await makeTestVasp(db(), env)
    processSingletons().set('application', vasp.app)
    processSingletons().set('protocol', vasp.auth)
  }
  const balancesOf = async (username: string): Promise<bigint[]> =>
    (await listWallets(db(), username, rateOf)).map(({ available }) => available)
  const openSessionsOf = (userId: string): Promise<number> =>
    db().prisma.session.count({ where: { userId, endedAt: null } })

  it('resets every user, pairs the shop as Bob, makes it forget its visitors, and leaves the presenter signed in', async () => {
    const presenter = vasp.app.ids.secret()
    await openSession(db(), presenter, 'khalid')
    const opening = await balancesOf('alice')
    await pullFaucet(vasp.app, 'alice', 'USD', 'before')
    expect(await balancesOf('alice')).not.toEqual(opening)

    expect(await prepareForNextAudience(vasp.app)).toEqual({ reset: 5, pending: 0, pairing: 'paired' })
    expect(await balancesOf('alice')).toEqual(opening)
    const [form = ''] = shop.asked.filter((line) => line.startsWith('address='))
    expect(Object.fromEntries(new URLSearchParams(form))).toEqual({
      address: `$bob@${vasp.app.settings.vaspDomain}`,
      life: 'none',
      visitors: 'forget',
    })
    expect(gateway.asked.find((line) => line.startsWith('ask='))).toContain('ask=the-ask&life=none&decision=connect')
    expect((await userOfSession(db(), presenter))?.username).toBe('khalid')
    expect(await openSessionsOf('bob')).toBe(0)
    expect((await vasp.app.audit.run('everything')).breaches).toEqual([])
  })

  it('is done once for two presses at once', async () => {
    const both = await Promise.all([prepareForNextAudience(vasp.app), prepareForNextAudience(vasp.app)])
    expect(both[0]).toBe(both[1])
    expect(shop.asked.filter((line) => line === 'POST /merchant/connect')).toHaveLength(1)
    expect((await prepareForNextAudience(vasp.app)).pairing).toBe('paired')
  })

  it.each([
    ['shop', () => ({ SAMPLE_APP_URL: AWAY, GATEWAY_ROOT_URL: gateway.origin })],
    ['gateway', () => ({ SAMPLE_APP_URL: shop.origin, GATEWAY_ROOT_URL: AWAY })],
    ['none', () => ({ GATEWAY_ROOT_URL: gateway.origin })],
  ] as const)('resets the users also when the outcome of the pairing is “%s”', async (pairing, env) => {
    approval = `${AWAY}/oauth/auth`
    await start(env())
    expect(await prepareForNextAudience(vasp.app)).toEqual({ reset: 5, pending: 0, pairing })
    expect(await openSessionsOf('bob')).toBe(0)
  })

  it('never asks another site than the configured ones, wherever the shop or the gateway leads', async () => {
    const other = await site((_, response) => response.end('<input name="ask" value="1">'))
    approval = `${other.origin}/approval`
    expect((await prepareForNextAudience(vasp.app)).pairing).toBe('refused')
    approval = `${gateway.origin}/oauth/auth`
    login = `${other.origin}/connect`
    expect((await prepareForNextAudience(vasp.app)).pairing).toBe('refused')
    expect(other.asked).toEqual([])
    expect(await openSessionsOf('bob')).toBe(0)
  })

  it('pairs the shop with another user while Bob is suspended', async () => {
    await db().prisma.user.update({ where: { id: 'bob' }, data: { status: 'suspended' } })
    await prepareForNextAudience(vasp.app)
    await db().prisma.user.update({ where: { id: 'bob' }, data: { status: 'active' } })
    expect(shop.asked.find((line) => line.startsWith('address='))).toContain('address=%24alice%40')
  })
})
