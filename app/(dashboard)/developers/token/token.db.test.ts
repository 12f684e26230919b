import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { openSession } from '@/lib/accounts/sessions/session-store'
import { makeProtocol } from '@/lib/backend/protocol'
import { findConnectionCard, listConnections } from '@/lib/connections/queries'
import { revokeConnection } from '@/lib/connections/service'
import { processSingletons } from '@/lib/platform/process-singletons'
import { inspectToken, type TokenVerdict } from '@/lib/sandbox/tokens/inspect-token'
import { mintToken, type MintKind } from '@/lib/sandbox/tokens/mint-token'
import { openShownOnce } from '@/lib/web/shown-once'
import { describeOnBothEngines } from '@/test/databases/databases'
import { pageSession, pageUser } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { POST as create } from '../../../sandbox/forms/token/create/route'
import { POST as inspect } from '../../../sandbox/forms/token/inspect/route'
import TokenPage from './page'
import { Result } from './result'

let pastGate = true
let sealed: string | null = null
vi.mock(import('@/app/(dashboard)/require-user'), () => ({
  requireUser: async () => pageUser('alice'),
}))
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => pastGate,
  sessionOfRequest: async () => pageSession('alice'),
}))
vi.mock('next/headers', () => ({ headers: async () => ({ get: () => sealed }) }))

const NOT_FOUND = 'NEXT_HTTP_ERROR_FALLBACK;404'
const DEAD: readonly MintKind[] = ['expired', 'revoked', 'wrong-audience', 'wrong-key', 'wrong-algorithm']

describeOnBothEngines('The token inspector', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    await openSession(db(), 'session', 'alice')
    vasp = await makeTestVasp(db())
  })
  beforeEach(() => {
    processSingletons().set('application', vasp.app)
    processSingletons().set('protocol', vasp.auth)
    processSingletons().delete('minted-tokens')
    pastGate = true
    sealed = null
  })

  const verdictOf = (token: string, reader = 'alice'): Promise<TokenVerdict> =>
    inspectToken(vasp.app, reader, token, vasp.auth.commands)
  const acceptedBy = ({ endpoints }: TokenVerdict): string[] =>
    endpoints.filter(({ isAccepted }) => isAccepted).map(({ endpoint }) => endpoint)
  async function mint(kind: MintKind): Promise<string> {
    const request = { kind, username: 'alice', sessionId: 'session', permissions: ['get_info', 'get_balance'] as const }
    const minted = await mintToken(vasp.app, request, (each) => vasp.auth.fetch(each))
    if ('refused' in minted) throw new Error(minted.refused)
    return minted.token
  }
  const send = (route: typeof create, fields: Readonly<Record<string, string>>): Promise<Response> =>
    route(
      new Request('http://localhost:3000/developers/token', {
        method: 'POST',
        headers: { Origin: 'http://localhost:3000', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ form_user: 'alice', ...fields }),
      }),
    )
  const show = async (): Promise<string> => renderToStaticMarkup(await TokenPage({ searchParams: Promise.resolve({}) }))

  it('creates a working token although API_ALLOWED_NETWORKS leaves out this machine', async () => {
    for (const API_ALLOWED_NETWORKS of ['192.0.2.0/24', '2001:db8::/32']) {
      const restricted = await makeTestVasp(db(), { API_ALLOWED_NETWORKS })
      processSingletons().set('application', restricted.app)
      processSingletons().set('protocol', restricted.auth)
      const { headers } = await send(create, { kind: 'working', permissions: 'read' })
      expect(headers.get('location')).not.toContain('error')
      for (const remoteAddress of [undefined, '', '127.0.0.1', '::1', 'localhost']) {
        const call = { method: 'GET', url: '/umanwc/v1/info', headers: new Headers(), body: null, remoteAddress }
        expect((await restricted.auth.handle(call)).status).toBe(403)
      }
    }
  })

  it('lists the endpoints that accept a login token and a connection token, as the API does', async () => {
    const login = await verdictOf(await vasp.loginToken('alice'))
    expect([login.fault, login.record, acceptedBy(login)]).toEqual([undefined, 'live', ['POST /token', 'GET /info']])
    const token = await vasp.connectionToken('alice', ['get_balance'])
    const verdict = await verdictOf(token)
    expect(acceptedBy(verdict)).toEqual(['GET /info', 'GET /budget_estimate', 'GET /balance'])
    for (const { endpoint, isAccepted, status } of verdict.endpoints) {
      const [method = '', path = ''] = endpoint.split(' ')
      const url = `http://localhost:3000/umanwc/v1${path.replaceAll(/\{\w+\}/g, 'x')}`
      const headers = { Authorization: `Bearer ${token}` }
      const answer = await vasp.auth.fetch(new Request(url, { method, headers }))
      if (isAccepted) expect([401, 403, 500], endpoint).not.toContain(answer.status)
      else expect(answer.status, endpoint).toBe(status)
    }
  })

  it('shows the revocation of the user’s own connection, and nothing about that of another user', async () => {
    const token = await vasp.connectionToken('alice', ['get_balance'])
    const before = await verdictOf(token, 'bob')
    await revokeConnection(db(), idOf(token), 'alice')
    const own = await verdictOf(token)
    expect([own.fault, own.record, acceptedBy(own)]).toEqual([undefined, 'revoked', []])
    expect(await verdictOf(token, 'bob')).toEqual(before)
    expect(before.record).toBe('of another user')
  })

  it.each<[MintKind, Partial<TokenVerdict>]>([
    ['expired', { fault: 'expired', laterFault: undefined }],
    ['revoked', { fault: undefined, record: 'revoked' }],
    ['wrong-audience', { fault: 'signature', laterFault: 'domain' }],
    ['wrong-key', { fault: 'signature', laterFault: undefined }],
    ['wrong-algorithm', { fault: 'malformed', laterFault: undefined }],
  ])('names the fault of a token of the kind %s', async (kind, expected) => {
    const verdict = await verdictOf(await mint(kind))
    expect(verdict).toMatchObject(expected)
    expect(acceptedBy(verdict)).toEqual([])
  })

  it('says about later checks only what the payload shows', async () => {
    const verdictIn = async (token: string): Promise<string> =>
      renderToStaticMarkup(Result({ shown: { token }, verdict: await verdictOf(token), now: new Date() }))
    const [header = '', payload = ''] = (await mint('wrong-key')).split('.')
    for (const token of ['hello', 'two words', header]) expect(await verdictIn(token)).toContain('none could be read')
    for (const part of ['!', Buffer.from('[1]').toString('base64url')])
      expect(await verdictIn(`${header}.${part}.x`)).toContain('A later check would fail too')
    expect(await verdictIn(`${header}.${payload}.x`)).toContain('No later check of the token would fail.')
  })

  it.each(DEAD)('creates no token of the kind %s that any endpoint accepts', async (kind) => {
    const token = await mint(kind)
    for (const { method, path } of [{ method: 'POST', path: '/token' }, ...endpointsOf(vasp)]) {
      const url = `http://localhost:3000/umanwc/v1${path.replaceAll(/\{\w+\}/g, 'x')}`
      const request = new Request(url, { method, headers: { Authorization: `Bearer ${token}` } })
      expect((await vasp.auth.fetch(request)).status, `${method} ${path}`).toBe(401)
    }
  })

  it('creates a working token as a connection that its user can revoke, and closes the login', async () => {
    const token = await mint('working')
    expect((await vasp.get('/balance', token)).status).toBe(200)
    const [connection] = (await listConnections(vasp.app, 'alice', { tab: 'active' })).connections
    expect(connection).toMatchObject({ id: idOf(token), name: 'made in the inspector', clientId: 'token inspector' })
    const grants = await db().prisma.loginGrant.findMany({ where: { appClientId: 'token inspector' } })
    expect(grants.every(({ closedAt }) => closedAt !== null)).toBe(true)
    await revokeConnection(db(), idOf(token), 'alice')
    expect((await vasp.get('/balance', token)).status).toBe(401)
  })

  it('leaves the last call of an inspected connection unchanged', async () => {
    const token = await vasp.connectionToken('alice', ['get_balance'])
    await verdictOf(token)
    const card = await findConnectionCard(vasp.app, 'alice', idOf(token))
    expect(card?.lastUsedAt).toBeNull()
  })

  it.each([
    '',
    'x',
    'a.b.c',
    '.',
    'eyJ9.eyJ9.',
    'ü.ü.ü',
    `${'a'.repeat(2_000)}.b.c`,
    'a b.c.d',
    '{}',
    'null.null.null',
  ])('refuses the text %j without failing', async (text) => {
    const verdict = await verdictOf(text)
    expect(['malformed', 'signature']).toContain(verdict.fault ?? 'missing')
    expect(acceptedBy(verdict)).toEqual([])
  })

  it('passes the token to the page in an encrypted cookie, never in an address or a log line', async () => {
    const answer = await send(create, { kind: 'working', permissions: 'read' })
    const cookie = answer.headers.get('set-cookie') ?? ''
    expect([answer.status, answer.headers.get('location'), answer.headers.get('cache-control')]).toEqual([
      303,
      '/developers/token#result',
      'no-store',
    ])
    expect(cookie).toMatch(/; Path=\/; Max-Age=60; HttpOnly; SameSite=Strict$/)
    sealed = cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';'))
    const text = (await openShownOnce(vasp.app.settings, 'alice', '/developers/token', sealed)) ?? '{}'
    const { token } = JSON.parse(text) as { token: string }
    expect(await openShownOnce(vasp.app.settings, 'bob', '/developers/token', sealed)).toBeUndefined()
    expect(cookie).not.toContain(token)
    expect(vasp.logged.join()).not.toContain(token)
    const page = await show()
    expect(page).toContain(token)
    expect(page).toContain('The token is valid.')
    sealed = 'x'
    expect(await show()).not.toContain('Verdict')
  })

  it('inspects a pasted header line, and refuses an empty or overlong text without repeating it', async () => {
    const token = await vasp.connectionToken('alice', ['get_balance'])
    const answer = await send(inspect, { token: ` Authorization: Bearer ${token}\n` })
    const cookie = answer.headers.get('set-cookie') ?? ''
    sealed = cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';'))
    expect(await show()).toContain('The token is valid.')
    const address = async (text: string) => (await send(inspect, { token: text })).headers.get('location')
    expect(await address('  ')).toBe('/developers/token?error=token.missing#token')
    expect(await address('x'.repeat(3_000))).toBe('/developers/token?error=token.long#token')
    expect(await address('x'.repeat(2_490))).toBe('/developers/token#result')
  })

  it('creates at most 20 tokens a minute for one user', async () => {
    const answers = await Promise.all(
      Array.from({ length: 21 }, () => send(create, { kind: 'wrong-key', permissions: 'read' })),
    )
    expect(answers.filter((each) => each.headers.has('set-cookie')).length).toBeLessThanOrEqual(20)
    expect(answers.at(-1)?.headers.get('location')).toBe('/developers/token?error=kind.rate#kind')
  })

  it('creates no token at the limit of active connections, and says where to revoke unused ones', async () => {
    const limited = { ...vasp.app, settings: { ...vasp.app.settings, maxActiveConnectionsPerUser: 1 } }
    processSingletons().set('application', limited)
    processSingletons().set('protocol', makeProtocol(limited))
    await vasp.connectionToken('alice')
    const answer = await send(create, { kind: 'working', permissions: 'read' })
    expect([answer.headers.get('location'), answer.headers.has('set-cookie')]).toEqual([
      '/developers/token?error=kind.many#kind',
      false,
    ])
    const page = renderToStaticMarkup(await TokenPage({ searchParams: Promise.resolve({ error: 'kind.many' }) }))
    expect(page).toContain('open Connections, revoke the unused ones, then try again')
    // No faulty token is an active connection.
    for (const kind of DEAD)
      expect((await send(create, { kind, permissions: 'read' })).headers.has('set-cookie'), kind).toBe(true)
  })

  it('exists with the sandbox tools only, and behind the team gate', async () => {
    const refused = async (): Promise<void> => {
      await expect(show()).rejects.toThrow(NOT_FOUND)
      for (const route of [create, inspect])
        expect((await send(route, { kind: 'working', permissions: 'read', token: 'x' })).status).toBe(404)
    }
    pastGate = false
    await refused()
    pastGate = true
    processSingletons().set('application', {
      ...vasp.app,
      settings: { ...vasp.app.settings, sandboxTools: false },
    })
    await refused()
  })
})

function endpointsOf({ auth }: TestVasp) {
  return auth.api.endpoints.map(({ command }) => command)
}
