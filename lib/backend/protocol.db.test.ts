import { beforeAll, beforeEach, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { answerConnect } from '@/lib/connections/connect'
import { maskDetail } from '@/lib/events/mask'
import type { NewEvent } from '@/lib/events/types'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { connectRequest, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { makeProtocol } from './protocol'

describeOnBothEngines('Events', (db) => {
  let vasp: TestVasp
  const recorded: NewEvent[] = []
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    const plain = await makeTestVasp(db())
    const app = {
      ...plain.app,
      events: {
        record: (event: NewEvent) => void recorded.push(event),
        flush: async () => {},
        droppedCount: () => 0,
        close: async () => {},
      },
    }
    vasp = { ...plain, app, auth: makeProtocol(app) }
  })
  beforeEach(() => void recorded.splice(0))

  const call = (path: string, token: string, init: RequestInit = {}): Promise<Response> =>
    vasp.auth.fetch(
      new Request(`http://localhost:3000/umanwc/v1${path}`, { ...init, headers: { Authorization: `Bearer ${token}` } }),
    )

  it('have no owner without a verified token, whatever the token claims', async () => {
    const forged = `${btoa('{"alg":"ES256"}')}.${btoa('{"sub":"alice"}')}.c2ln`.replaceAll('=', '')
    await call('/balance?currency_code=USD&secret=abc', forged)
    expect(recorded).toMatchObject([
      { kind: 'api_call', name: 'GET /balance', status: 401, failedCheck: 'bearer', userId: undefined },
    ])
    expect(recorded[0]?.detail?.facts?.query).toEqual({ currency_code: 'USD', secret: '[not stored]' })
    expect(maskDetail(recorded[0]?.detail ?? {}).facts?.bearerFault).toBe('signature')
    expect(JSON.stringify(recorded)).not.toContain(forged)
  })

  it('are not built without the sandbox tools', async () => {
    const settings = { ...vasp.app.settings, sandboxTools: false }
    const quiet = makeProtocol({ ...vasp.app, settings })
    const request = new Request('http://localhost:3000/umanwc/v1/balance', {
      headers: { Authorization: `Bearer ${await vasp.connectionToken('alice')}` },
    })
    recorded.splice(0)
    expect((await quiet.fetch(request)).status).toBe(403)
    expect(recorded).toEqual([])
  })

  it('of a refused login contain both origins and no owner', async () => {
    await answerConnect(vasp.app, vasp.auth, connectRequest({ redirect_uri: 'https://evil.example/cb?token=abc' }), {
      readSession: async () => null,
      binding: 'secret-of-this-browser',
    })
    expect(recorded).toEqual([
      {
        kind: 'login',
        name: 'login refused',
        status: 400,
        failedCheck: 'redirect_uri',
        summary: 'redirect_uri leads to https://evil.example, but GATEWAY_ROOT_URL is http://localhost:8080',
        detail: { facts: { redirectOrigin: 'https://evil.example', gatewayOrigin: 'http://localhost:8080' } },
      },
    ])
  })

  it.each([
    [{ client_id: 'x' }, 'the request has no redirect_uri'],
    [{ redirect_uri: 'not an address' }, 'redirect_uri is not a web address'],
    [{ redirect_uri: '' }, 'redirect_uri is not a web address'],
  ] as [Record<string, string>, string][])('of the refused login %j say: %s', async (query, summary) => {
    recorded.splice(0)
    await answerConnect(vasp.app, vasp.auth, connectRequest(query), {
      readSession: async () => null,
      binding: 'secret-of-this-browser',
    })
    expect(recorded).toMatchObject([{ name: 'login refused', summary }])
  })

  it('of an unknown path show the path, and which setting of the gateway puts two slashes into it', async () => {
    await call('//info', 'token')
    await call('/nothing', 'token')
    expect(recorded).toMatchObject([
      {
        name: 'unknown path',
        status: 404,
        summary: 'GET /umanwc/v1//info: VASP_UMA_API_BASE_URL of the gateway ends with a slash',
      },
      { name: 'unknown path', summary: 'GET /umanwc/v1/nothing: NOT_FOUND: This API has no such path.' },
    ])
  })

  it('of an exchange contain the user and the connection, and no token', async () => {
    const login = await vasp.loginToken('alice')
    const response = await call('/token', login, { method: 'POST', body: '{"permissions":["get_info"]}' })
    const { token } = (await response.json()) as { token: string }
    const { id } = (await vasp.auth.tokens.verify(token)) ?? {}
    await call('/info', token)
    expect(recorded).toMatchObject([
      { kind: 'connection', name: 'connection created', userId: 'alice', connectionId: id },
      { kind: 'token_exchange', name: 'POST /token', userId: 'alice', connectionId: id, status: 200 },
      { kind: 'api_call', name: 'GET /info', userId: 'alice', connectionId: id, status: 200, failedCheck: undefined },
    ])
    const stored = JSON.stringify(recorded.map(({ detail }) => maskDetail(detail ?? {})))
    expect(stored).toContain('get_info')
    for (const secret of [login, token]) expect(stored).not.toContain(secret)
  })
})
