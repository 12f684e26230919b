import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '@/test/programs/free-port'
import { scriptPath } from '@/test/programs/script'
import { newKeyPair } from '@/test/vasp/keys'
import { loadGatewaySettings } from '../gateway/settings'
import { loadShopSettings } from '../shop/settings'
import { readGatewayArguments } from './gateway-arguments'
import { planGateway, type GatewayPlan } from './gateway-plan'
import { valueLines, warningLines } from './gateway-summary'
import { resolveDiscovered } from './gateway-values'

const pair = newKeyPair()
const otherPair = newKeyPair()
const otherCurve = newKeyPair('secp256k1').publicPem

let folder: string
let server: Server
let vasp: string
let domain: string
let root: string
/** An origin where no process listens. */
let nowhere: string
let env: Record<string, string>
let answer: { status: number; body: unknown }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-plan-'))
  server = createServer((_request, response) => {
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
    response.writeHead(answer.status).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  domain = `localhost:${(server.address() as AddressInfo).port}`
  vasp = `http://${domain}`
  root = `http://localhost:${await freePort()}`
  nowhere = `http://localhost:${await freePort()}`
  env = {
    DATA_DIR: join(folder, 'data'),
    RELAY_PORT: String(await freePort()),
    APP_PORT: String(await freePort()),
  }
  writeFileSync(file('key.pem'), pair.publicPem)
  writeFileSync(file('private.pem'), pair.privatePem)
  writeFileSync(file('curve.pem'), otherCurve)
  writeFileSync(file('empty.pem'), '')
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => (answer = { status: 200, body: documentOf() }))

const file = (name: string): string => join(folder, name)

function documentOf(more: Readonly<Record<string, unknown>> = {}, at = root): Record<string, unknown> {
  return {
    name: 'North bank',
    authorization_endpoint: `${at}/oauth/auth`,
    token_endpoint: `${at}/oauth/token`,
    revocation_endpoint: `${at}/oauth/revoke`,
    connection_management_endpoint: `${at}/connection/<connection_id>`,
    code_challenge_methods_supported: ['S256'],
    nwc_commands_supported: ['get_info', 'get_balance'],
    ...more,
  }
}

const plan = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<GatewayPlan> =>
  planGateway(readGatewayArguments(args), { ...env, ...more })

/** A config file with these settings in the printed form. */
function configFile(settings: Readonly<Record<string, string | readonly string[]>>): string {
  const path = file('gateway.py')
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  writeFileSync(path, lines.join('\n'))
  return path
}
const simulator = ({ processes }: GatewayPlan): Readonly<Record<string, string>> => processes[0]?.env ?? {}
const known = (): string[] => ['--vasp', vasp, '--jwt-public-key', file('key.pem')]

describe('npm run gateway', () => {
  it('derives missing values from the origin and the discovery document', async () => {
    const made = await plan(known())
    expect(simulator(made)).toEqual({
      GATEWAY_PORT: new URL(root).port,
      NWC_APP_ROOT_URL: root,
      UMA_VASP_LOGIN_URL: `${vasp}/connect`,
      UMA_VASP_TOKEN_EXCHANGE_URL: `${vasp}/umanwc/v1/token`,
      VASP_UMA_API_BASE_URL: `${vasp}/umanwc/v1`,
      UMA_VASP_JWT_PUBKEY: pair.publicPem,
      UMA_VASP_JWT_AUD: domain,
      UMA_VASP_JWT_ISS: domain,
      VASP_NAME: 'North bank',
      VASP_SUPPORTED_COMMANDS: 'get_info,get_balance',
      RELAY: `ws://localhost:${env.RELAY_PORT}`,
      GATEWAY_DATA_DIR: join(env.DATA_DIR ?? '', 'gateway-for', domain.replace(':', '-'), 'gateway'),
    })
    expect(loadGatewaySettings(simulator(made)).NWC_APP_ROOT_URL).toBe(root)
    const shop = loadShopSettings(made.processes[2]?.env ?? {})
    // Another VASP has other pages, so the shop does not link to any.
    expect([shop.APP_EXAMPLE_DOMAIN, shop.APP_VASP_URL]).toEqual([domain, undefined])
  })

  it('lets a flag override the config file, and the file override the discovery document', async () => {
    const config = configFile({
      NWC_APP_ROOT_URL: root,
      UMA_VASP_LOGIN_URL: 'http://login.example/in?bank=1',
      UMA_VASP_TOKEN_EXCHANGE_URL: 'http://api.example/exchange',
      VASP_UMA_API_BASE_URL: 'http://api.example/v1/',
      UMA_VASP_JWT_PUBKEY: otherPair.publicPem,
      UMA_VASP_JWT_AUD: 'gateway audience',
      UMA_VASP_JWT_ISS: 'issuer',
      VASP_NAME: 'Name of the file',
      VASP_SUPPORTED_COMMANDS: ['get_info'],
    })
    const fromFile = await plan(['--vasp', vasp, '--config', config])
    expect(simulator(fromFile)).toMatchObject({
      UMA_VASP_LOGIN_URL: 'http://login.example/in?bank=1',
      UMA_VASP_TOKEN_EXCHANGE_URL: 'http://api.example/exchange',
      VASP_UMA_API_BASE_URL: 'http://api.example/v1',
      UMA_VASP_JWT_PUBKEY: otherPair.publicPem,
      UMA_VASP_JWT_AUD: 'gateway audience',
      UMA_VASP_JWT_ISS: 'issuer',
      VASP_NAME: 'Name of the file',
      VASP_SUPPORTED_COMMANDS: 'get_info',
    })
    const flags = ['--api', 'http://a.example', '--login', 'http://l.example/', '--exchange', 'http://e.example/x']
    const fromFlags = await plan([...known(), ...flags, '--config', config])
    expect(simulator(fromFlags)).toMatchObject({
      UMA_VASP_LOGIN_URL: 'http://l.example',
      UMA_VASP_TOKEN_EXCHANGE_URL: 'http://e.example/x',
      VASP_UMA_API_BASE_URL: 'http://a.example',
      UMA_VASP_JWT_PUBKEY: pair.publicPem,
      UMA_VASP_JWT_AUD: 'gateway audience',
    })
  })

  it('derives the token exchange from the API, and the VASP from the login URL of the config file', async () => {
    expect(simulator(await plan([...known(), '--api', 'http://a.example/v2']))).toMatchObject({
      UMA_VASP_TOKEN_EXCHANGE_URL: 'http://a.example/v2/token',
    })
    const config = configFile({ UMA_VASP_LOGIN_URL: `${vasp}/connect`, UMA_VASP_JWT_PUBKEY: pair.publicPem })
    expect((await plan(['--config', config])).vasp.vasp).toEqual({
      text: vasp,
      source: `UMA_VASP_LOGIN_URL in ${config}`,
    })
  })

  it('reads a key whose line breaks are written as \\n', async () => {
    const config = configFile({ UMA_VASP_JWT_PUBKEY: pair.publicPem.replaceAll('\n', '\\n') })
    expect(simulator(await plan(['--vasp', vasp, '--config', config])).UMA_VASP_JWT_PUBKEY).toBe(pair.publicPem)
  })

  it('ignores the demo folders that the environment names', async () => {
    const { processes } = await plan(known(), {
      GATEWAY_DATA_DIR: '/demo/g',
      RELAY_DATA_DIR: '/demo/r',
      APP_DATA_DIR: '/demo/a',
    })
    expect(JSON.stringify(processes)).not.toContain('/demo/')
  })

  it('prints each value with its source, aligned and without control characters', async () => {
    const config = configFile({ VASP_NAME: 'North\u001B[31m\nbank' })
    const lines = valueLines(await plan([...known(), '--config', config]))
    const column = lines[0]?.indexOf('http://') ?? 0
    expect(lines[0]?.trim().split(/ {2,}/)).toEqual(['VASP', '--vasp', vasp])
    expect(lines.find((line) => line.includes('VASP name'))).toContain('North [31m bank')
    for (const line of lines) expect(line.slice(column - 2, column + 1)).toMatch(/^ {2}\S$/)
    expect(lines.map((line) => line.slice(2).split(/ {2,}/)[1])).toEqual([
      '--vasp',
      'default',
      'default',
      'default',
      `--jwt-public-key ${file('key.pem')}`,
      'default',
      'default',
      `VASP_NAME in ${config}`,
      'discovery document',
      'RELAY_PORT',
      'APP_PORT',
      'DATA_DIR',
      'discovery document',
    ])
  })

  it('starts, with a warning, where the discovery document names two gateways', async () => {
    expect(warningLines(await plan(known()))).toEqual([])
    const other = 'http://localhost:1/oauth/token'
    answer.body = documentOf({ token_endpoint: other, connection_management_endpoint: 'https://bank.example/c' })
    const made = await plan(known())
    expect(made.gateway.root.text).toBe(root)
    expect(warningLines(made)).toEqual([
      `  Warning  ${url()} names two gateways: token_endpoint is "${other}", but authorization_endpoint is at ${root}. The simulator listens at ${root}, and apps request their tokens from the other one. Set token_endpoint at the VASP to ${root}/oauth/token.`,
      `  Warning  ${url()} names two gateways: connection_management_endpoint is "https://bank.example/c", but authorization_endpoint is at ${root}. The simulator listens at ${root}, and apps show their connections at the other one. Set connection_management_endpoint at the VASP to ${root}/connection/<connection_id>.`,
    ])
  })

  it('accepts a public VASP whose gateway is on this machine', () => {
    const found = resolveDiscovered(
      'https://bank.example',
      documentOf(),
      { flags: readGatewayArguments([]), config: {} },
      {},
    )
    expect(found.root).toEqual({ text: root, source: 'discovery document' })
  })
})

interface Failure {
  readonly args?: () => readonly string[]
  readonly env?: () => Readonly<Record<string, string>>
  readonly document?: () => unknown
  readonly status?: number
  readonly line: () => string
}
const configured = (settings: Readonly<Record<string, string>>) => (): string[] => [
  ...known(),
  '--config',
  configFile(settings),
]
const url = (): string => `${vasp}/.well-known/uma-configuration`
const elsewhere = (at: string): Failure => ({
  document: () => documentOf({}, at),
  line: () =>
    `The VASP's gateway root URL is ${at}, where the simulator cannot listen: set it at the VASP to an http origin of this machine, such as http://localhost:${new URL(at).port || 8080}.`,
})

/** The error line for each invalid input. */
const FAILURES: Readonly<Record<string, Failure>> = {
  'no VASP': {
    args: () => ['--jwt-public-key', file('key.pem')],
    line: () =>
      'The VASP is missing: give --vasp ORIGIN, such as --vasp http://localhost:3000, or --config FILE with UMA_VASP_LOGIN_URL.',
  },
  'a VASP without a scheme': {
    args: () => ['--vasp', 'bank'],
    line: () => '--vasp "bank" is not an origin: write scheme, host and port, such as http://localhost:3000.',
  },
  'a VASP with host and port alone': {
    args: () => ['--vasp', 'localhost:3000'],
    line: () => '--vasp "localhost:3000" is not an origin: write scheme, host and port, such as http://localhost:3000.',
  },
  'a VASP with a path': {
    args: () => ['--vasp', `${vasp}/connect`],
    line: () =>
      `--vasp "${vasp}/connect" is not an origin: write scheme, host and port, such as http://localhost:3000.`,
  },
  'a VASP with a control character': {
    args: () => ['--vasp', 'x\u001B[2J\u009B'],
    line: () => '--vasp "x\\u001b[2J" is not an origin: write scheme, host and port, such as http://localhost:3000.',
  },
  'http to another machine': {
    args: () => ['--vasp', 'http://bank.example'],
    line: () =>
      '--vasp "http://bank.example" cannot have UMA addresses: use https and a domain name, or http for a VASP on this machine.',
  },
  'https on this machine': {
    args: () => ['--vasp', 'https://localhost:3000'],
    line: () =>
      '--vasp "https://localhost:3000" cannot have UMA addresses: use https and a domain name, or http for a VASP on this machine.',
  },
  'an IP address of another machine': {
    args: () => ['--vasp', 'https://10.0.0.7'],
    line: () =>
      '--vasp "https://10.0.0.7" cannot have UMA addresses: use https and a domain name, or http for a VASP on this machine.',
  },
  'an API that is not an address': {
    args: () => [...known(), '--api', 'umanwc'],
    line: () =>
      '--api is "umanwc": use a web address that begins with http:// or https://, without a password or a fragment.',
  },
  'an API with a query': {
    args: () => [...known(), '--api', 'http://bank.example/v1?bank=1'],
    line: () => '--api is "http://bank.example/v1?bank=1": the API is a base address, so it has no query.',
  },
  'a login with another scheme': {
    args: () => [...known(), '--login', 'javascript:alert(1)'],
    line: () =>
      '--login is "javascript:alert(1)": use a web address that begins with http:// or https://, without a password or a fragment.',
  },
  'an exchange with a password': {
    args: () => [...known(), '--exchange', 'http://a:b@bank.example/'],
    line: () =>
      '--exchange is "http://a:b@bank.example/": use a web address that begins with http:// or https://, without a password or a fragment.',
  },
  'an invalid address in the file': {
    args: configured({ VASP_UMA_API_BASE_URL: '/v1' }),
    line: () =>
      `VASP_UMA_API_BASE_URL in ${file('gateway.py')} is "/v1": use a web address that begins with http:// or https://, without a password or a fragment.`,
  },
  'a config file that does not exist': {
    args: () => [...known(), '--config', file('none.py')],
    line: () => `--config ${file('none.py')} cannot be read (ENOENT): name a file that exists.`,
  },
  'no key': {
    args: () => ['--vasp', vasp],
    line: () =>
      'The public key of the VASP is missing: give its PEM file with --jwt-public-key FILE, or UMA_VASP_JWT_PUBKEY in --config FILE.',
  },
  'a key file that does not exist': {
    args: () => ['--vasp', vasp, '--jwt-public-key', file('none.pem')],
    line: () => `--jwt-public-key ${file('none.pem')} cannot be read (ENOENT): name a file that exists.`,
  },
  'a private key': {
    args: () => ['--vasp', vasp, '--jwt-public-key', file('private.pem')],
    line: () =>
      `--jwt-public-key ${file('private.pem')} is not an unencrypted public key: set the PEM text that begins with -----BEGIN PUBLIC KEY-----.`,
  },
  'an empty key file': {
    args: () => ['--vasp', vasp, '--jwt-public-key', file('empty.pem')],
    line: () => `--jwt-public-key ${file('empty.pem')} is empty: write the PEM text of the public key into it.`,
  },
  'a key of another curve': {
    args: () => ['--vasp', vasp, '--jwt-public-key', file('curve.pem')],
    line: () =>
      `--jwt-public-key ${file('curve.pem')} cannot be read: ES256 needs a key on the curve P-256 (prime256v1).`,
  },
  'a VASP that does not answer': {
    args: () => ['--vasp', nowhere, '--jwt-public-key', file('key.pem')],
    line: () => `${new URL(nowhere).host} did not answer: ECONNREFUSED. Start the VASP, or change --vasp.`,
  },
  'a port that browsers block': {
    args: () => ['--vasp', 'http://localhost:9', '--jwt-public-key', file('key.pem')],
    line: () => 'localhost:9 did not answer: bad port. Start the VASP, or change --vasp.',
  },
  'no discovery document': {
    status: 404,
    line: () => `${url()} answered 404. Serve the discovery document at ${url()}, or change --vasp.`,
  },
  'a document that is not JSON': {
    document: () => '<html>',
    line: () =>
      `The discovery document cannot be used: it is not JSON. Serve the discovery document at ${url()}, or change --vasp.`,
  },
  'a document that is not an object': {
    document: () => [],
    line: () => `${url()} cannot be used: the document is missing or not valid. Correct the document at the VASP.`,
  },
  'a document without a token endpoint': {
    document: () => documentOf({ token_endpoint: undefined }),
    line: () => `${url()} cannot be used: token_endpoint is missing or not valid. Correct token_endpoint at the VASP.`,
  },
  'a name that would write to the terminal': {
    document: () => documentOf({ name: '\u001B[2J' }),
    line: () => `${url()} cannot be used: name is missing or not valid. Correct name at the VASP.`,
  },
  'no name': {
    document: () => documentOf({ name: undefined }),
    line: () => `${url()} has no name: add it at the VASP, or VASP_NAME to --config FILE.`,
  },
  'no commands': {
    document: () => documentOf({ nwc_commands_supported: undefined }),
    line: () =>
      `${url()} has no nwc_commands_supported: add it at the VASP, or VASP_SUPPORTED_COMMANDS to --config FILE.`,
  },
  'only plain PKCE': {
    document: () => documentOf({ code_challenge_methods_supported: ['plain'] }),
    line: () =>
      `The discovery document cannot be used: code_challenge_methods_supported does not contain S256. Correct ${url()} at the VASP.`,
  },
  'an authorization endpoint of another kind': {
    document: () => documentOf({ authorization_endpoint: `${root}/authorize` }),
    line: () =>
      `${url()} names no gateway: authorization_endpoint is "${root}/authorize". Set it at the VASP to the gateway's root URL followed by /oauth/auth.`,
  },
  'a gateway on another machine': elsewhere('https://gateway.example'),
  'a gateway by http on another machine': elsewhere('http://gateway.example:8080'),
  'a gateway by https on this machine': elsewhere('https://localhost:8443'),
  'a gateway with a path': elsewhere('http://localhost:8080/nwc'),
  'a gateway with a long address': elsewhere(`https://gateway.example/${'x'.repeat(120)}`),
  'another root in the file': {
    args: configured({ NWC_APP_ROOT_URL: 'http://localhost:1' }),
    line: () =>
      `NWC_APP_ROOT_URL in ${file('gateway.py')} is "http://localhost:1", but the VASP's discovery document names the gateway root URL ${root}. Change one of the two.`,
  },
  'another root in the environment': {
    env: () => ({ NWC_APP_ROOT_URL: 'http://localhost:1' }),
    line: () =>
      `NWC_APP_ROOT_URL in the environment is "http://localhost:1", but the VASP's discovery document names the gateway root URL ${root}. Change one of the two.`,
  },
  'another port in the environment': {
    env: () => ({ GATEWAY_PORT: '1' }),
    line: () =>
      `GATEWAY_PORT is "1", but the VASP's discovery document names the gateway root URL ${root}. Change one of the two.`,
  },
  'an invalid relay port': {
    env: () => ({ RELAY_PORT: 'seven' }),
    line: () => 'RELAY_PORT is not usable: use a port from 1 to 65535.',
  },
  'a shop on the port of the gateway': {
    env: () => ({ APP_PORT: new URL(root).port }),
    line: () => `the VASP's gateway root URL and APP_PORT are both ${new URL(root).port}: give each a port of its own.`,
  },
}

describe('npm run gateway with an invalid input', () => {
  it.each(Object.entries(FAILURES))('fails with one line: %s', async (_, failure) => {
    if (failure.document !== undefined) answer.body = failure.document()
    if (failure.status !== undefined) answer.status = failure.status
    const refused = await plan(failure.args?.() ?? known(), failure.env?.()).catch((error: unknown) => error)
    expect((refused as Error).message).toBe(failure.line())
    expect((refused as Error).message).not.toMatch(/\n/)
  })

  it('fails with one line: a gateway root URL whose port is in use', async () => {
    const other = createTcpServer()
    await new Promise<void>((resolve) => other.listen(Number(new URL(root).port), '127.0.0.1', resolve))
    await expect(plan(known())).rejects.toThrow(
      new RegExp(
        `^Port ${new URL(root).port} is taken by .+: stop it, or set the VASP's gateway root URL to another port\\.$`,
      ),
    )
    await new Promise((resolve) => other.close(resolve))
  })

  it('exits with code 2, and starts and writes nothing', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [scriptPath('sandbox/gateway-command/gateway-command.ts'), '--vasp', nowhere, ...known().slice(2)],
      { env: { ...process.env, ...env }, encoding: 'utf8' },
    )
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^localhost:\d+ did not answer: [^\n]+\n$/)
    expect(existsSync(env.DATA_DIR ?? '')).toBe(false)
  })

  it('writes nothing during the checks', () => {
    expect(readdirSync(folder)).not.toContain('data')
  })
})
