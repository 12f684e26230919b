import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { gatewayConfig, type GatewayConfig } from './config-text'

const publicPem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString()
const FILLED = {
  GATEWAY_PORT: '8080',
  NWC_APP_ROOT_URL: 'http://localhost:8080',
  UMA_VASP_JWT_PUBKEY: publicPem.trim().replaceAll('\n', '\\n'),
  VASP_NAME: 'North "bank"',
  VASP_SUPPORTED_COMMANDS: 'get_info,get_budget',
}
const KEYS = { NOSTR_PRIVKEY: 'ab'.repeat(32), SECRET_KEY: 'cd'.repeat(32) }
const DEMO = { relay: 'ws://localhost:7747', keys: KEYS, keysPath: '.data/northbank/gateway-keys.env' }

function textOf(more: Partial<GatewayConfig> = {}): string {
  return gatewayConfig({ filled: FILLED, commands: ['get_info', 'get_budget'], demo: DEMO, ...more })
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
const withRoot = (root: string, port: string): string =>
  textOf({ filled: { ...FILLED, NWC_APP_ROOT_URL: root, GATEWAY_PORT: port } })

describe('the settings of a public gateway', () => {
  it('are complete but for the two that only its operator knows', () => {
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

  it('leave relay and keys to the operator of a server that the environment configures', () => {
    const yours = textOf({ demo: undefined }).split('# Set these yourself.')[1] ?? ''
    expect(Object.keys(read(yours))).toEqual([
      'RELAY',
      'NOSTR_PRIVKEY',
      'SECRET_KEY',
      'DATABASE_URI',
      'FRONTEND_BUILD_PATH',
    ])
    expect(yours).toContain("python3 -c 'import secrets; print(secrets.token_hex(32))'")
  })

  it('say how to migrate, how to start, and how long the VASP may wait', () => {
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

  it('keep a name with a line end inside its comment and its literal', () => {
    const text = textOf({ filled: { ...FILLED, VASP_NAME: 'North\nimport os' } })
    expect(read(text).VASP_NAME).toBe('North\nimport os')
  })
})
