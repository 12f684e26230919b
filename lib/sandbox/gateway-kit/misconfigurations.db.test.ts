import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import type { Application } from '@/lib/backend/application'
import { gatewaySettingsOf } from '@/lib/backend/gateway-config'
import { answerConnect } from '@/lib/connections/connect'
import { eventReaderOf, findEvent, lastOutcomes } from '@/lib/events/queries'
import { createEventRecorder } from '@/lib/events/recorder'
import { adviceOnPath } from '@/lib/events/unknown-path'
import { connect } from '@/sandbox/gateway/connect'
import { loginUrl, readLogin } from '@/sandbox/gateway/login'
import { describeOnBothEngines } from '@/test/databases/databases'
import { listen, servePublicGateway, type PublicGateway } from '@/test/gateway/public-gateway'
import { freePort } from '@/test/programs/free-port'
import { newKeyPair } from '@/test/vasp/keys'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, withParts, type TestVasp } from '@/test/vasp/vasp'
import { runChecks, type Check } from './doctor'
import { withLoginChecks } from './login-checks'
import { findTrial, tryLogin } from './try-login'

const USD = '{"code":"USD","symbol":"$","name":"US Dollar","decimals":2}'
const ALICE = { username: 'alice', sessionId: 'session', currencyCode: 'USD' }

describeOnBothEngines('With one setting of the public gateway wrong, the doctor names it:', (db) => {
  let port: number
  let vasp: TestVasp
  let gateway: PublicGateway | undefined
  let api: Server | undefined
  beforeAll(() => seedUsers(db(), 'sandbox', testPasswords))
  beforeEach(async () => {
    port = await freePort()
    const made = await makeTestVasp(db(), { GATEWAY_ROOT_URL: `http://localhost:${port}` })
    vasp = withParts(made, { events: createEventRecorder({ db: db(), log: made.app.log }) })
  })
  afterEach(() => {
    gateway?.close()
    api?.closeAllConnections()
    api?.close()
    ;[gateway, api] = [undefined, undefined]
  })

  /** Starts the gateway with our settings, except for those given. */
  async function startGateway(wrong: Readonly<Record<string, string>> = {}): Promise<PublicGateway> {
    gateway = await servePublicGateway({
      ...gatewaySettingsOf(vasp.app.settings),
      VASP_SUPPORTED_COMMANDS: 'get_info',
      GATEWAY_PORT: String(port),
      ...wrong,
    })
    return gateway
  }

  async function diagnose({ app, auth }: Pick<TestVasp, 'app' | 'auth'> = vasp): Promise<(name: string) => Check> {
    await tryLogin(app, auth, ALICE)
    const facts = { settings: app.settings, now: app.clock.now(), unused: undefined }
    const checks = withLoginChecks(await runChecks(app), { ...facts, trial: await findTrial(app, 'alice') })
    return (name) => {
      const found = checks.find((each) => each.name === name)
      if (found === undefined) throw new Error(`no check ${name}`)
      return found
    }
  }

  it('nothing, when all settings are right', async () => {
    await startGateway()
    const check = await diagnose()
    for (const name of ['Gateway', 'Gateway clock', 'Login'])
      expect(check(name), name).toMatchObject({ result: 'pass' })
    expect(check('Login')).not.toHaveProperty('fix')
  })

  it('the root', async () => {
    const { settings } = await startGateway({ NWC_APP_ROOT_URL: `http://127.0.0.1:${port}` })
    expect((await diagnose())('Login')).toMatchObject({
      result: 'fail',
      answer: `The gateway sent the browser to http://127.0.0.1:${port}/, which is not below http://localhost:${port}.`,
      fix: expect.stringContaining('NWC_APP_ROOT_URL of the gateway and GATEWAY_ROOT_URL of this server') as string,
    })
    // A browser's login does not get that far.
    const request = { method: 'GET', url: loginUrl(settings, '/') }
    await answerConnect(vasp.app, vasp.auth, request, { readSession: async () => null, binding: 'x'.repeat(32) })
    await vasp.app.events.flush()
    expect((await contact(vasp.app)).login.failure?.summary).toBe(
      `redirect_uri leads to http://127.0.0.1:${port}, but GATEWAY_ROOT_URL is http://localhost:${port}`,
    )
  })

  it('a base URL that ends with a slash', async () => {
    const listener = getRequestListener((request) => vasp.api(request))
    api = createServer((request, response) => void listener(request, response))
    const { settings } = await startGateway({ VASP_UMA_API_BASE_URL: `${await listen(api)}/umanwc/v1/` })
    const login = await readLogin(settings, await vasp.loginToken('alice'), USD)
    const approval = {
      name: 'App',
      clientApp: null,
      permissions: ['get_info'],
      limit: null,
      expiresAtSeconds: undefined,
    }
    expect(await connect(settings, login, approval, 0)).toHaveProperty('problem')
    await vasp.app.events.flush()
    const { failure } = (await contact(vasp.app)).unknown_path
    expect(failure).toMatchObject({
      name: 'unknown path',
      status: 404,
      summary: 'GET /umanwc/v1//info: VASP_UMA_API_BASE_URL of the gateway ends with a slash',
    })
    const event = await findEvent(vasp.app, eventReaderOf(vasp.app.settings, 'alice'), failure?.id ?? 0n)
    expect(adviceOnPath(String(event?.detail.facts?.path))).toContain('VASP_UMA_API_BASE_URL')
  })

  it('the address of a gateway that is down', async () => {
    const check = await diagnose()
    for (const name of ['Gateway', 'Login'])
      expect(check(name), name).toMatchObject({
        result: 'fail',
        answer: expect.stringContaining('ECONNREFUSED') as string,
        fix: expect.stringContaining('Start the gateway, or set GATEWAY_ROOT_URL') as string,
      })
  })

  it('the clock, which refuses every login token as expired', async () => {
    await startGateway()
    const clock = { now: () => new Date(Date.now() - 11 * 60_000) }
    const check = await diagnose(withParts(vasp, { clock }))
    expect(check('Gateway clock')).toMatchObject({
      result: 'fail',
      answer: 'The clock of the gateway is 11 minutes ahead of ours.',
      fix: expect.stringContaining('ExpiredSignatureError') as string,
    })
    expect(check('Login')).toMatchObject({
      result: 'fail',
      answer:
        'The gateway refused a login token with status 500. The gateway’s clock is 11 minutes ahead of ours. Login tokens expire after 10 minutes, so the gateway refuses each one as expired: correct the clock first.',
    })
  })

  it.each([
    ['the public key', () => ({ UMA_VASP_JWT_PUBKEY: newKeyPair().publicPem })],
    ['the audience', () => ({ UMA_VASP_JWT_AUD: 'other.example' })],
    ['the issuer', () => ({ UMA_VASP_JWT_ISS: 'other.example' })],
  ])('%s, with the words of the gateway’s log, because its answer is the same for all three', async (_, wrong) => {
    await startGateway(wrong())
    const { eventId, ...check } = (await diagnose())('Login')
    expect(eventId).toBeTypeOf('bigint')
    const domain = vasp.app.settings.vaspDomain
    expect(check).toEqual({
      name: 'Login',
      asked: `A login at http://localhost:${port}, just now`,
      result: 'fail',
      answer: 'The gateway refused a login token with status 500.',
      fix: expect.stringContaining('one of these words in the gateway’s log') as string,
      compare: [
        { setting: 'UMA_VASP_JWT_PUBKEY', logWord: 'InvalidSignatureError', value: vasp.pair.publicPem.trim() },
        { setting: 'UMA_VASP_JWT_AUD', logWord: 'InvalidAudienceError', value: domain },
        { setting: 'UMA_VASP_JWT_ISS', logWord: 'InvalidIssuerError', value: domain },
        { setting: 'The clock of the gateway', logWord: 'ExpiredSignatureError', value: 'The same time as ours' },
      ],
    })
  })
})

const contact = (app: Application): ReturnType<typeof lastOutcomes> =>
  lastOutcomes(app, eventReaderOf(app.settings, 'alice'), [])
