import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IMPLEMENTED_COMMANDS } from '@/lib/backend/methods'
import { ensureSandbox, type Sandbox } from '../shared/settings'
import { writeHostFiles } from './host-files'
import { RELAY_PORT } from './relay-config'

const HOST = {
  VASP_NAME: 'Acme Bank',
  VASP_DOMAIN: 'sandbox.example',
  NEXTAUTH_URL: 'https://sandbox.example',
  GATEWAY_ROOT_URL: 'https://gateway.sandbox.example',
  GATEWAY_RELAY_URL: 'wss://relay.sandbox.example',
}

describe('the files of a host', () => {
  let parent: string
  let folder: string
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'host-files-'))
    folder = join(parent, 'gateway')
  })
  afterEach(() => rmSync(parent, { recursive: true, force: true }))

  const sandboxWith = (more: Record<string, string> = {}): Sandbox =>
    ensureSandbox({ ...HOST, DATA_DIR: join(parent, 'vasp'), ...more })
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const write = (more?: Record<string, string>): readonly string[] =>
    writeHostFiles(sandboxWith(more), { folder, newKeys: false })

  it('have every setting that the gateway reads, ready to use', () => {
    write()
    const { JWT_PUBLIC_KEY = '' } = sandboxWith().environment
    expect(assignments(read('gateway.py'))).toEqual({
      NWC_APP_ROOT_URL: 'https://gateway.sandbox.example',
      UMA_VASP_LOGIN_URL: 'https://sandbox.example/connect',
      UMA_VASP_TOKEN_EXCHANGE_URL: 'https://sandbox.example/umanwc/v1/token',
      VASP_UMA_API_BASE_URL: 'https://sandbox.example/umanwc/v1',
      UMA_VASP_JWT_PUBKEY: JWT_PUBLIC_KEY.replaceAll('\\n', '\n'),
      UMA_VASP_JWT_AUD: 'sandbox.example',
      UMA_VASP_JWT_ISS: 'sandbox.example',
      VASP_NAME: 'Acme Bank',
      VASP_LOGO_URL: 'https://sandbox.example/icon.svg',
      VASP_SUPPORTED_COMMANDS: [...IMPLEMENTED_COMMANDS],
      RELAY: 'wss://relay.sandbox.example',
      NOSTR_PRIVKEY: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      SECRET_KEY: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      DATABASE_URI: 'sqlite+aiosqlite:////var/lib/vasp-gateway/gateway.sqlite',
      FRONTEND_BUILD_PATH: '../static',
      CLIENT_APP_AUTHORITIES: [],
      BUDGET_BUFFER_MULTIPLIER: 1,
      MAX_CONTENT_LENGTH: 65_536,
    })
  })

  it('let only events of NIP-47 and of apps through the relay, within its limits', () => {
    write()
    expect(assignments(read('relay.toml'))).toEqual({
      'info.relay_url': 'wss://relay.sandbox.example',
      'info.name': 'Acme Bank relay',
      'info.description': expect.any(String) as string,
      'database.engine': 'sqlite',
      'database.in_memory': false,
      'database.data_directory': '/var/lib/vasp-relay',
      'database.min_conn': 1,
      'database.max_conn': 4,
      'network.address': '127.0.0.1',
      'network.port': RELAY_PORT,
      'network.remote_ip_header': 'x-forwarded-for',
      'network.ping_interval_seconds': 60,
      'options.reject_future_seconds': 900,
      'limits.event_kind_allowlist': [0, 13194, 13195, 23194, 23195, 23196, 23197],
      'limits.max_event_bytes': 65_536,
      'limits.max_ws_message_bytes': 65_536,
      'limits.max_ws_frame_bytes': 65_536,
      'limits.messages_per_sec': 100,
      'limits.event_persist_buffer': 16,
      'limits.broadcast_buffer': 4096,
      'limits.subscriptions_per_min': 300,
      'limits.max_blocking_threads': 8,
      'limits.limit_scrapers': true,
      'verified_users.mode': 'disabled',
      'pay_to_relay.enabled': false,
      'pay_to_relay.sign_ups': false,
    })
  })

  it('are for one user only, and do not change with a second run', () => {
    const names = ['gateway-keys.env', 'gateway.py', 'relay.toml']
    expect(write()).toEqual([join(folder, 'gateway.py'), join(folder, 'relay.toml')])
    const first = names.map(read)
    write()
    expect(names.map(read)).toEqual(first)
    expect(readdirSync(folder).toSorted()).toEqual(names)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of names) expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600])
  })

  it('follow the VASP’s settings and keep the keys, until new keys are asked for', () => {
    write()
    const keys = read('gateway-keys.env')
    write({ VASP_NAME: 'Other' })
    expect(assignments(read('gateway.py')).VASP_NAME).toBe('Other')
    expect(read('gateway-keys.env')).toBe(keys)
    writeHostFiles(sandboxWith(), { folder, newKeys: true })
    expect(read('gateway-keys.env')).not.toBe(keys)
    const { NOSTR_PRIVKEY } = assignments(read('gateway.py'))
    expect(read('gateway-keys.env')).toContain(`NOSTR_PRIVKEY=${String(NOSTR_PRIVKEY)}\n`)
  })

  it('name the authority that the VASP’s commands trust, and the path of the gateway', () => {
    write({ NODE_EXTRA_CA_CERTS: '/etc/vasp/authority.crt', GATEWAY_ROOT_URL: 'https://example.org/nwc' })
    expect(assignments(read('gateway.py'))).toMatchObject({
      INTERNAL_CA_FILE: '/etc/vasp/authority.crt',
      BASE_PATH: '/nwc',
    })
  })

  it.for([
    [{ GATEWAY_RELAY_URL: '' }, 'GATEWAY_RELAY_URL is missing'],
    [{ GATEWAY_RELAY_URL: 'wss://relay.sandbox.example/v1' }, 'GATEWAY_RELAY_URL has to be a name without a path'],
    [{ JWT_PUBLIC_KEY: '' }, 'JWT_PUBLIC_KEY is missing'],
  ] as const)('are not written with %o', ([more, start]) => {
    expect(() => write(more)).toThrow(new RegExp(`^${start}[^\\n]+$`))
    expect(existsSync(folder)).toBe(false)
  })
})

/** `NAME = value` lines of Python or TOML, the latter with the name of the table. Each value that is written is JSON as well. */
function assignments(text: string): Record<string, unknown> {
  let table = ''
  const found: Record<string, unknown> = {}
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const [, head] = /^\[(\w+)\]$/.exec(line) ?? []
    const [, name, value = ''] = /^(\w+) = (.+)$/.exec(line) ?? []
    if (head === undefined && name === undefined) throw new Error(`not read: ${line}`)
    if (head !== undefined) table = `${head}.`
    else found[`${table}${name}`] = JSON.parse(value)
  }
  return found
}
