import { createServer, type RequestListener, type Server } from 'node:http'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { openSession } from '@/lib/accounts/sessions/session-store'
import type { Application } from '@/lib/backend/application'
import { makeProtocol } from '@/lib/backend/protocol'
import { answerConnect } from '@/lib/connections/connect'
import { findEvent, findUnusedLogin, listEvents } from '@/lib/events/queries'
import { createEventRecorder } from '@/lib/events/recorder'
import type { FullEvent } from '@/lib/events/types'
import { processSingletons } from '@/lib/platform/process-singletons'
import { findTrial } from '@/lib/sandbox/gateway-kit/try-login'
import { describeOnBothEngines } from '@/test/databases/databases'
import { listen } from '@/test/gateway/public-gateway'
import { pageSession, pageUser } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { connectRequest, makeTestVasp, withParts, type TestVasp } from '@/test/vasp/vasp'
import { POST as tryLogin } from '../../../sandbox/forms/try-login/route'
import { Doctor } from './doctor'
import GatewayKitPage from './page'

let pastGate = true
let signedIn = true
vi.mock(import('@/app/(dashboard)/require-user'), () => ({
  requireUser: async () => pageUser('alice'),
}))
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => pastGate,
  sessionOfRequest: async () => (signedIn ? SESSION : null),
}))
vi.mock(import('@/components/live-page'), () => ({ LivePage: () => null }))

const SESSION = pageSession('alice')
const GATEWAY_PAGE = '<meta name="uma-vasp-login-url" content="http://localhost:3000/connect" />'
const CALLBACK = '/auth/vasp_token_callback'

describeOnBothEngines('The gateway kit', (db) => {
  let vasp: TestVasp
  let server: Server
  /** How the server at GATEWAY_ROOT_URL answers a login. */
  let answerLogin: RequestListener
  let asked: URL[]
  let root: string
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    await openSession(db(), 'session', 'alice')
  })
  beforeEach(async () => {
    ;[pastGate, signedIn, asked] = [true, true, []]
    answerLogin = (_request, response) => response.writeHead(302, { Location: '/welcome' }).end()
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '', root)
      asked.push(url)
      if (url.pathname === CALLBACK) answerLogin(request, response)
      else response.end(url.pathname === '/' ? GATEWAY_PAGE : 'ok')
    })
    root = await listen(server)
    const made = await makeTestVasp(db(), { GATEWAY_ROOT_URL: root })
    vasp = withParts(made, { events: createEventRecorder({ db: db(), log: made.app.log }) })
    install(vasp.app)
    for (const name of ['tried-logins', 'doctor']) processSingletons().delete(name)
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  function install(app: Application): void {
    processSingletons().set('application', app)
    processSingletons().set('protocol', makeProtocol(app))
  }
  const press = (fields: Readonly<Record<string, string>> = {}, Origin = 'http://localhost:3000'): Promise<Response> =>
    tryLogin(
      new Request('http://localhost:3000/sandbox/forms/try-login', {
        method: 'POST',
        headers: { Origin, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ form_user: 'alice', ...fields }),
      }),
    )
  const logins = (): URL[] => asked.filter(({ pathname }) => pathname === CALLBACK)
  const tokenOf = (url: URL | undefined): string => url?.searchParams.get('token') ?? ''
  const showPage = async (): Promise<string> =>
    renderToStaticMarkup(await GatewayKitPage({ searchParams: Promise.resolve({}) }))
  const showDoctor = async (): Promise<string> => {
    const { app } = vasp
    const facts = { trial: await findTrial(app, 'alice'), unused: await findUnusedLogin(db(), 'alice') }
    const element = await Doctor({ ports: app, logins: { settings: app.settings, now: app.clock.now(), ...facts } })
    return renderToStaticMarkup(element)
  }
  async function trialEvent(): Promise<FullEvent> {
    const reader = { userId: 'alice', withUnowned: false }
    const [row] = await listEvents(vasp.app, reader, { name: 'login tried', limit: 1 })
    const event = row && (await findEvent(vasp.app, reader, row.id))
    if (event === undefined) throw new Error('there is no event')
    return event
  }

  it('sends the user’s login token to the configured root, and to no address of the answer', async () => {
    answerLogin = (_request, response) => response.writeHead(302, { Location: `${root}/followed` }).end()
    const response = await press()
    expect([response.status, response.headers.get('location')]).toEqual([303, '/developers/gateway?checks=wait#doctor'])
    expect(asked.map(({ pathname }) => pathname).sort()).toEqual(['/', CALLBACK])
    const [login] = logins()
    expect([...(login?.searchParams.keys() ?? [])]).toEqual(['token', 'currency'])
    expect(await vasp.auth.tokens.verify(tokenOf(login))).toMatchObject({ use: 'login', userId: 'alice' })
    expect(await trialEvent()).toMatchObject({
      kind: 'login',
      status: 302,
      summary: 'made by the doctor: the gateway accepted the login token',
    })
    const page = await showDoctor()
    expect(page).toContain('The gateway accepted a login token.')
    expect(page).toContain(`href="/developers/wire/${(await trialEvent()).id}"`)
  })

  it.each<[string, RequestListener, string]>([
    ['accepts the login', (_request, response) => response.writeHead(302, { Location: '/' }).end(), 'accepted'],
    ['fails', (_request, response) => response.writeHead(500).end(), 'refused'],
    ['cuts the connection', (request) => request.socket.destroy(), 'no answer'],
    ['answers too much', (_request, response) => response.end('x'.repeat(70_000)), 'no answer'],
  ])('closes the login when the gateway %s, and neither stores nor logs its token', async (_, answer, outcome) => {
    answerLogin = answer
    await press()
    const token = tokenOf(logins()[0])
    expect((await vasp.exchange(token, { permissions: ['get_info'] })).status).toBe(401)
    expect((await vasp.get('/info', token)).status).toBe(401)
    const event = await trialEvent()
    expect(event.detail.facts).toMatchObject({ trial: { outcome, root } })
    const [, claims = '', signature = ''] = token.split('.')
    const kept = JSON.stringify([{ ...event, id: '' }, vasp.logged, event.detail], (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    for (const part of [claims, signature]) expect(kept).not.toContain(part)
  })

  it('takes a server for a gateway when it returns the token with its address, and for no gateway otherwise', async () => {
    const shop = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', root)
      if (pathname !== CALLBACK || !provesItself) response.writeHead(status).end('ok')
      else {
        const query = new URLSearchParams({ token: searchParams.get('token') ?? '', uma_address: '$alice@x' })
        response.writeHead(302, { Location: `/?${query}` }).end()
      }
    })
    let [provesItself, status] = [false, 200]
    const gatewayRootUrl = new URL(await listen(shop))
    vasp = withParts(vasp, { settings: { ...vasp.app.settings, gatewayRootUrl } })
    install(vasp.app)
    await press()
    const before = await showDoctor()
    expect(before).toContain('Unknown kind.')
    expect(before).toContain('nothing shows that it is a gateway')
    provesItself = true
    await press()
    const after = await showDoctor()
    expect(after).toContain('Its page is not that of a gateway, but it accepted a login token.')
    expect(after).not.toContain('Unknown kind.')
    status = 500
    processSingletons().delete('doctor')
    expect(await showDoctor()).toContain('its page has status 500: users see an error after each login.')
    shop.closeAllConnections()
    shop.close()
  })

  it('names the root and its path when the gateway answers a login with its page', async () => {
    answerLogin = (_request, response) => response.end(GATEWAY_PAGE)
    await press()
    const page = await showDoctor()
    expect(page).toContain('The gateway answered a login with status 200, not with a redirect.')
    expect(page).toContain('Set GATEWAY_ROOT_URL of this server, and NWC_APP_ROOT_URL and BASE_PATH of the gateway')
  })

  it('tries three logins at once for one user, so at most six a minute, and says so', async () => {
    for (let count = 0; count < 6; count++) await press()
    expect((await press()).headers.get('location')).toBe('/developers/gateway?error=rate#doctor')
    expect(logins()).toHaveLength(3)
    const page = await GatewayKitPage({ searchParams: Promise.resolve({ error: 'rate' }) })
    expect(renderToStaticMarkup(page)).toContain('Nothing was sent to the gateway. Wait 20 seconds')
  })

  it('sends nothing for a form of another site, another user, no user, or without the sandbox tools', async () => {
    expect((await press({}, 'http://evil.example')).status).toBe(403)
    expect((await press({ form_user: 'bob' })).status).toBe(409)
    pastGate = false
    expect((await press()).status).toBe(404)
    ;[pastGate, signedIn] = [true, false]
    expect((await press()).headers.get('location')).toContain('/login')
    expect(asked).toEqual([])
  })

  it('shows a login token that no call has used, with its event and the settings to compare, until a call has it', async () => {
    const answer = await answerConnect(vasp.app, vasp.auth, connectRequest({ redirect_uri: `${root}${CALLBACK}` }), {
      readSession: async () => SESSION,
      binding: 'x'.repeat(32),
    })
    await vasp.app.events.flush()
    const event = await findUnusedLogin(db(), 'alice')
    const page = await showDoctor()
    expect(page).toMatch(/A login token was issued .*just now.* and no call has used it/)
    expect(page).toContain(`href="/developers/wire/${event?.id}"`)
    for (const text of ['compare these settings', 'UMA_VASP_JWT_PUBKEY', 'UMA_VASP_JWT_AUD', 'UMA_VASP_JWT_ISS'])
      expect(page).toContain(text)
    await vasp.get('/info', tokenOf(new URL(answer.headers.get('location') ?? root)))
    await vasp.app.events.flush()
    expect(await showDoctor()).not.toContain('no call has used it')
  })

  it('says that only apps read discovery, and on a shared sandbox links to the desk for refused logins', async () => {
    const page = await showPage()
    expect(page).toContain('Only apps read /.well-known/uma-configuration.')
    expect(page).not.toContain('href="/sandbox#events"')
    install({ ...vasp.app, settings: { ...vasp.app.settings, teamPassword: 'a team password' } })
    expect(await showPage()).toContain('href="/sandbox#events"')
  })
})
