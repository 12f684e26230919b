import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Application } from '@/lib/backend/application'
import { describeOnBothEngines } from '@/test/databases/databases'
import { freePort } from '@/test/programs/free-port'
import { newKeyPair } from '@/test/vasp/keys'
import { makeTestVasp } from '@/test/vasp/vasp'
import { runChecks, type Check } from './doctor'

describeOnBothEngines('The doctor', (db) => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })

  async function listen(answer: RequestListener): Promise<string> {
    const server = createServer(answer)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const answers = (status: number, headers: Record<string, string> = {}): Promise<string> =>
    listen((_request, response) => response.writeHead(status, headers).end('text'))

  const gatewayPage = (loginUrl = 'http://localhost:3000/connect'): string =>
    `<!doctype html><head><meta name="uma-vasp-login-url" content="${loginUrl}" /></head>`
  /** Answers every request with this page, as the web app of the public gateway does. */
  const page = (html: string, headers: Record<string, string> = {}): Promise<string> =>
    listen((_request, response) => response.writeHead(200, { 'Content-Type': 'text/html', ...headers }).end(html))
  const aheadBy = (seconds: number): Record<string, string> => ({
    Date: new Date(Date.now() + seconds * 1_000).toUTCString(),
  })

  async function portsFor(env: Readonly<Record<string, string>> = {}): Promise<Application> {
    const GATEWAY_ROOT_URL = env.GATEWAY_ROOT_URL ?? (await page(gatewayPage()))
    return (
      await makeTestVasp(db(), {
        UMA_SIGNING_KEY: '1'.repeat(64),
        UMA_ENCRYPTION_KEY: '2'.repeat(64),
        ...env,
        GATEWAY_ROOT_URL,
      })
    ).app
  }
  const withSettings = (ports: Application, settings: Partial<Application['settings']>): Application => ({
    ...ports,
    settings: { ...ports.settings, ...settings },
  })
  const byName = (checks: readonly Check[], name: string): Check | undefined =>
    checks.find((each) => each.name === name)

  test('all checks of a sandbox pass', async () => {
    const ports = await portsFor({ GATEWAY_RELAY_URL: (await answers(200)).replace('http', 'ws') })
    await ports.audit.run('everything')
    const checks = await runChecks(ports)
    expect(checks.filter(({ result, fix }) => result !== 'pass' || fix !== undefined)).toEqual([])
    expect(checks.map(({ name }) => name)).toEqual([
      'Clock',
      'Token keys',
      'Previous token key',
      'Gateway',
      'Gateway clock',
      'Relay',
      'Database',
      'Books',
      'Lightning node',
      'UMA keys',
      'Lightning peers',
    ])
  })

  test('each broken setting shows in its own check, with a fix', async () => {
    const ports = await portsFor()
    const [other, gone] = [newKeyPair(), `http://127.0.0.1:${await freePort()}`]
    const broken: [string, Partial<Application['settings']>, Partial<Check>][] = [
      ['Token keys', { jwtPublicKeyPem: undefined }, { result: 'fail', answer: 'JWT_PUBLIC_KEY missing.' }],
      [
        'Token keys',
        { jwtPublicKeyPem: other.publicPem },
        { result: 'fail', answer: 'JWT_PUBLIC_KEY does not match the private key.' },
      ],
      ['Previous token key', { jwtPublicKeyPreviousPem: 'no PEM' }, { result: 'fail' }],
      ['Previous token key', { jwtPublicKeyPreviousPem: ports.settings.jwtPublicKeyPem }, { result: 'warn' }],
      ['UMA keys', { umaEncryptionKeyHex: undefined }, { result: 'fail' }],
      ['UMA keys', { umaSigningKeyHex: undefined, umaEncryptionKeyHex: undefined }, { result: 'warn' }],
      ['Gateway', { gatewayRootUrl: new URL(gone) }, { result: 'fail', answer: 'No answer: ECONNREFUSED.' }],
      ['Gateway', { gatewayRootUrl: new URL(await answers(502)) }, { result: 'warn' }],
      ['Relay', { gatewayRelayUrl: gone.replace('http', 'ws') }, { result: 'fail', asked: `GET ${gone}` }],
      ['Lightning peer', {}, { result: 'fail', asked: `GET ${gone}/-/alive` }],
    ]
    const nodePeers = [{ publicKeyHex: `02${'a'.repeat(64)}`, origin: gone }]
    for (const [name, settings, expected] of broken) {
      const check = byName(await runChecks({ ...withSettings(ports, settings), nodePeers }), name)
      expect(check, name).toMatchObject(expected)
      expect(check?.fix, name).toMatch(/^[A-Z`].*\.$/)
    }
  })

  test('only the page of a gateway makes a server a gateway: a program that is alive is of unknown kind', async () => {
    const shop = await listen((request, response) =>
      response.end(request.url === '/-/alive' ? 'ok' : '<h1>A shop</h1>'),
    )
    const inText = await page('The tag "uma-vasp-login-url" is missing here: content="http://localhost:3000/connect"')
    for (const GATEWAY_ROOT_URL of [shop, inText, await answers(502), await answers(404)]) {
      const gateway = byName(await runChecks(await portsFor({ GATEWAY_ROOT_URL })), 'Gateway')
      expect(gateway).toMatchObject({ result: 'warn', unknownKindStatus: expect.any(Number) as number })
      expect(gateway?.answer).toContain('Unknown kind.')
      expect(gateway?.fix).toContain('set GATEWAY_ROOT_URL to the root of the gateway')
    }
  })

  test('the gateway of another VASP is named by its login URL', async () => {
    const GATEWAY_ROOT_URL = await page(gatewayPage('https://other.example/connect?a=1&amp;b=2'))
    expect(byName(await runChecks(await portsFor({ GATEWAY_ROOT_URL })), 'Gateway')).toMatchObject({
      result: 'fail',
      answer: 'A gateway that sends logins to https://other.example/connect, not to http://localhost:3000/connect.',
      fix: expect.stringContaining('Set UMA_VASP_LOGIN_URL of the gateway') as string,
    })
  })

  test.each<[number, Check['result'], RegExp]>([
    [0, 'pass', /^The same time\.$/],
    [40, 'pass', /^The clock of the gateway is (39|40) seconds ahead of ours\.$/],
    [90, 'fail', /^The clock of the gateway is (89|90) seconds ahead of ours\.$/],
    [-90, 'fail', /^The clock of the gateway is (89|90) seconds behind ours\.$/],
    [660, 'fail', /^The clock of the gateway is 11 minutes ahead of ours\.$/],
  ])('a gateway whose clock differs by %d seconds: %s', async (seconds, result, answer) => {
    const GATEWAY_ROOT_URL = await page(gatewayPage(), aheadBy(seconds))
    const check = byName(await runChecks(await portsFor({ GATEWAY_ROOT_URL })), 'Gateway clock')
    expect(check?.result).toBe(result)
    expect(check?.answer).toMatch(answer)
    if (result === 'fail') expect(check?.fix).toContain('Login tokens expire after 10 minutes.')
  })

  test('a redirect is an answer, and is not followed', async () => {
    let followed = false
    const target = await listen((_request, response) => {
      followed = true
      response.end()
    })
    const ports = await portsFor({ GATEWAY_ROOT_URL: await answers(302, { Location: target }) })
    expect(byName(await runChecks(ports), 'Gateway')).toMatchObject({
      result: 'warn',
      answer: 'Unknown kind. Status 302, and the page is not that of a gateway.',
    })
    expect(followed).toBe(false)
  })

  test('a small clock difference is a warning, and a large one a failure', async () => {
    const ports = await portsFor()
    const ahead = (ms: number): Application => ({ ...ports, clock: { now: () => new Date(Date.now() + ms) } })
    expect(byName(await runChecks(ahead(10_000)), 'Clock')).toMatchObject({ result: 'warn' })
    expect(byName(await runChecks(ahead(-60_000)), 'Clock')).toMatchObject({ result: 'fail' })
  })

  test('all checks end after two seconds when nothing answers', async () => {
    const silent = await listen(() => undefined)
    const ports = withSettings(await portsFor({ GATEWAY_ROOT_URL: silent }), {
      gatewayRelayUrl: silent.replace('http', 'ws'),
    })
    const nodePeers = [{ publicKeyHex: `02${'a'.repeat(64)}`, origin: silent }]
    const never = (): Promise<never> => new Promise(() => undefined)
    const checks = await runChecks({
      ...ports,
      nodePeers,
      db: { ...ports.db, query: never },
      node: { ...ports.node, state: never },
    })
    for (const name of ['Clock', 'Database', 'Gateway', 'Relay', 'Lightning node', 'Lightning peer'])
      expect(byName(checks, name), name).toMatchObject({ result: 'fail' })
    for (const name of ['Database', 'Gateway', 'Relay', 'Lightning peer'])
      expect(byName(checks, name)?.answer, name).toContain('within 2 seconds')
  })
})
