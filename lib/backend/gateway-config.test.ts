import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { newKeyPair } from '@/test/vasp/keys'
import { composeConfig, envConfig, gatewaySettings, pythonConfig, type GatewayConfig } from './gateway-config'

const { publicPem } = newKeyPair()
const FILLED = {
  NWC_APP_ROOT_URL: 'http://localhost:8080',
  UMA_VASP_JWT_PUBKEY: publicPem.trim().replaceAll('\n', '\\n'),
  VASP_NAME: 'North "bank"',
}
const KEYS = { NOSTR_PRIVKEY: 'ab'.repeat(32), SECRET_KEY: 'cd'.repeat(32) }
const DEMO = { relay: 'ws://localhost:7747', keys: { ...KEYS, path: '.data/northbank/gateway-keys.env' } }
const COMMANDS = ['get_info', 'get_budget']

function textOf(more: Partial<GatewayConfig> = {}): string {
  return pythonConfig({ filled: FILLED, commands: COMMANDS, port: '8080', ...DEMO, ...more })
}
/** The assignments of the file; each literal that we write is JSON as well. */
function read(text: string): Record<string, unknown> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([A-Z_]+) = (.+)$/.exec(line) ?? []
      return [name, JSON.parse(value)]
    }),
  )
}
const withRoot = (root: string, port: string): string => textOf({ filled: { ...FILLED, NWC_APP_ROOT_URL: root }, port })

describe('the settings of a public gateway', () => {
  it('are complete except for the two that only its operator can set', () => {
    const [done = '', yours = ''] = textOf().split('# Set these yourself.')
    expect(read(done)).toEqual({
      NWC_APP_ROOT_URL: 'http://localhost:8080',
      UMA_VASP_JWT_PUBKEY: publicPem.trim(),
      VASP_NAME: 'North "bank"',
      VASP_SUPPORTED_COMMANDS: ['get_info', 'get_budget'],
      RELAY: 'ws://localhost:7747',
      ...KEYS,
    })
    expect(Object.keys(read(yours))).toEqual(['DATABASE_URI', 'FRONTEND_BUILD_PATH'])
    expect(done).toContain('kept in .data/northbank/gateway-keys.env')
  })

  it('leave the relay and the keys to the operator when the environment configures the server', () => {
    const yours = textOf({ relay: undefined, keys: undefined }).split('# Set these yourself.')[1] ?? ''
    expect(Object.keys(read(yours))).toEqual([
      'RELAY',
      'NOSTR_PRIVKEY',
      'SECRET_KEY',
      'DATABASE_URI',
      'FRONTEND_BUILD_PATH',
    ])
    expect(yours).toContain("python3 -c 'import secrets; print(secrets.token_hex(32))'")
  })

  it('explain how to migrate, how to start, and how long the VASP may wait', () => {
    const text = textOf()
    expect(text).toContain('QUART_APP=nwc_backend QUART_CONFIG=/absolute/path/gateway.py alembic upgrade head')
    expect(text).toContain('QUART_CONFIG=/absolute/path/gateway.py uvicorn nwc_backend.server:app --port 8080')
    expect(text).toContain('PAYMENT_WAIT_SECONDS=30')
  })

  it.each([
    ['http://localhost:8080', '8080', undefined, '8080'],
    ['http://localhost:4380/nwc', '4380', '/nwc', '4380'],
    ['https://bank.example/a/b', '443', '/a/b', '8080'],
  ])('have BASE_PATH where the root %s has a path', (root, port, basePath, listens) => {
    const text = withRoot(root, port)
    expect(read(text).BASE_PATH).toBe(basePath)
    expect(read(text).NWC_APP_ROOT_URL).toBe(root)
    expect(text).toContain(`nwc_backend.server:app --port ${listens}\n`)
  })

  it('keep a name with a line break inside its comment and its literal', () => {
    const text = textOf({ filled: { ...FILLED, VASP_NAME: 'North\nimport os' } })
    expect(read(text).VASP_NAME).toBe('North\nimport os')
  })
})

const PEM = '-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----'
const NORTHBANK: GatewayConfig = {
  filled: gatewaySettings({
    origin: 'http://localhost:3000',
    apiBasePath: '/umanwc/v1',
    domain: 'localhost:3000',
    name: 'Northbank',
    gatewayRoot: 'http://localhost:4380/nwc',
    publicKey: PEM,
  }),
  commands: COMMANDS,
  port: '4380',
  relay: 'ws://localhost:7447',
  keys: { NOSTR_PRIVKEY: 'ab', SECRET_KEY: 'cd', path: '.data/northbank/gateway-keys.env' },
}
const HEAD = `\
# Settings of the public UMA Auth gateway (uma-nwc-server) in front of Northbank. Save this as gateway.py.
# Set the values under "Set these yourself". Then run in the folder of the gateway:
#   QUART_APP=nwc_backend QUART_CONFIG=/absolute/path/gateway.py alembic upgrade head
#   QUART_CONFIG=/absolute/path/gateway.py uvicorn nwc_backend.server:app --port 4380
# This gateway carries out one request at a time. Start the VASP with PAYMENT_WAIT_SECONDS=30, so that one payment to a silent
# node does not stop all other calls for 240 seconds.
NWC_APP_ROOT_URL = "http://localhost:4380/nwc"
UMA_VASP_LOGIN_URL = "http://localhost:3000/connect"
UMA_VASP_TOKEN_EXCHANGE_URL = "http://localhost:3000/umanwc/v1/token"
VASP_UMA_API_BASE_URL = "http://localhost:3000/umanwc/v1"
UMA_VASP_JWT_PUBKEY = "-----BEGIN PUBLIC KEY-----\\nabc\\n-----END PUBLIC KEY-----"
UMA_VASP_JWT_AUD = "localhost:3000"
UMA_VASP_JWT_ISS = "localhost:3000"
VASP_NAME = "Northbank"
BASE_PATH = "/nwc"
VASP_SUPPORTED_COMMANDS = ["get_info", "get_budget"]
`
const TAIL = `\
# The database: a folder that exists, or postgresql+asyncpg://…
DATABASE_URI = "sqlite+aiosqlite:////absolute/path/gateway.sqlite"
# The web app, built. The default is right in the Docker image only. A relative path starts at the nwc_backend folder.
FRONTEND_BUILD_PATH = "../nwc-frontend/dist"
`

describe('the Python file', () => {
  it('of a demo is the same, byte for byte, as in earlier releases', () => {
    expect(pythonConfig(NORTHBANK)).toBe(`${HEAD}RELAY = "ws://localhost:7447"
# The gateway's own keys, kept in .data/northbank/gateway-keys.env. With other keys every pairing ends.
NOSTR_PRIVKEY = "ab"
SECRET_KEY = "cd"

# Set these yourself.
${TAIL}`)
  })

  it('of a server that the environment configures is the same, byte for byte, as in earlier releases', () => {
    expect(pythonConfig({ ...NORTHBANK, relay: undefined, keys: undefined })).toBe(`${HEAD}
# Set these yourself.
RELAY = "wss://relay.example"
# Generate each once and keep it: with another NOSTR_PRIVKEY every pairing ends. python3 -c 'import secrets; print(secrets.token_hex(32))'
NOSTR_PRIVKEY = ""
SECRET_KEY = ""
${TAIL}`)
  })

  it('has the same text for a public key with line breaks and with \\n', () => {
    const escaped = { ...NORTHBANK.filled, UMA_VASP_JWT_PUBKEY: PEM.replaceAll('\n', '\\n') }
    expect(pythonConfig({ ...NORTHBANK, filled: escaped })).toBe(pythonConfig(NORTHBANK))
  })
})

describe('the environment variables', () => {
  it('have the values of the Python file', () => {
    expect(parseEnv(envConfig(NORTHBANK))).toEqual({
      ...NORTHBANK.filled,
      GATEWAY_PORT: '4380',
      UMA_VASP_JWT_PUBKEY: PEM.replaceAll('\n', '\\n'),
      BASE_PATH: '/nwc',
      VASP_SUPPORTED_COMMANDS: 'get_info,get_budget',
      RELAY: 'ws://localhost:7447',
      NOSTR_PRIVKEY: 'ab',
    })
  })

  it('omit the key when the operator generates it, so that the simulator generates its own', () => {
    expect(parseEnv(envConfig({ ...NORTHBANK, keys: undefined }))).not.toHaveProperty('NOSTR_PRIVKEY')
  })

  it('have no quote inside a value', () => {
    const filled = { ...NORTHBANK.filled, NWC_APP_ROOT_URL: "http://localhost:4380/it's" }
    expect(parseEnv(envConfig({ ...NORTHBANK, filled })).NWC_APP_ROOT_URL).toBe('http://localhost:4380/it%27s')
  })
})

describe('the Compose file', () => {
  const contentOf = (text: string): string =>
    (/^    content: \|\n((?: {6}.*\n)+)/m.exec(text)?.[1] ?? '').replaceAll(/^ {6}/gm, '').replaceAll('$$', '$')

  it('contains the same settings as the Python file, and a database inside its volume', () => {
    const { FRONTEND_BUILD_PATH: _path, ...expected } = read(pythonConfig(NORTHBANK))
    expect(read(contentOf(composeConfig(NORTHBANK)))).toEqual({
      ...expected,
      DATABASE_URI: 'sqlite+aiosqlite:////data/gateway.sqlite',
    })
  })

  it('uses the network of this machine for a VASP on its loopback', () => {
    expect(composeConfig(NORTHBANK)).toContain('    network_mode: host\n')
    expect(composeConfig(NORTHBANK)).toContain('gunicorn -b 127.0.0.1:4380 ')
  })

  it('publishes one port for a VASP elsewhere', () => {
    const filled = gatewaySettings({
      origin: 'https://bank.example',
      apiBasePath: '/umanwc/v1',
      domain: 'bank.example',
      name: 'Bank',
      gatewayRoot: 'https://gateway.example',
      publicKey: PEM,
    })
    const text = composeConfig({ ...NORTHBANK, filled, port: '443', relay: undefined })
    expect(text).toContain('    ports: ["8080:8080"]\n')
    expect(text).toContain('gunicorn -b 0.0.0.0:8080 ')
    expect(text).not.toContain('network_mode')
  })

  it('escapes the dollar sign, with which Compose variables begin', () => {
    const filled = { ...NORTHBANK.filled, NWC_APP_ROOT_URL: 'http://localhost:4380/a$b' }
    expect(composeConfig({ ...NORTHBANK, filled })).toContain('NWC_APP_ROOT_URL = "http://localhost:4380/a$$b"\n')
  })
})
