import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newNodeSecret } from '@/test/vasp/keys'
import { demoProcesses, hasSimulator } from '../demo/demo-processes'
import { gatewayNotes, summary } from '../demo/demo-summary'
import { ensureSouthbank } from '../demo/southbank'
import { ensureSandbox, givenSandbox, readSandbox, renewKeys } from './settings'

let folder: string
let env: Record<string, string>
const file = (): string => readFileSync(join(env.DATA_DIR ?? '', 'settings.env'), 'utf8')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  env = { DATA_DIR: join(folder, 'northbank') }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the settings of an instance', () => {
  it('are created once, readable by their owner only, and kept', () => {
    expect(readSandbox(env)).toBeUndefined()
    ensureSandbox(env)
    const made = file()
    expect(statSync(join(folder, 'northbank', 'settings.env')).mode & 0o777).toBe(0o600)
    ensureSandbox({ ...env, PORT: '3300', SANDBOX_PASSWORD: 'of the environment' })
    expect(file()).toBe(made)
    expect(readSandbox(env)?.settings.publicOrigin).toBe('http://localhost:3000')
  })

  it('are read from the file or from the environment, and not created by commands that only read', () => {
    expect(() => givenSandbox(env)).toThrow(
      /^There is no settings\.env in .* npm run demo creates one\.\nThe environment alone is not enough: .* is missing/,
    )
    expect(existsSync(env.DATA_DIR ?? '')).toBe(false)
    const own = {
      NEXTAUTH_SECRET: 'x'.repeat(32),
      LIGHTNING_NODE_KEY: newNodeSecret(),
      VASP_DOMAIN: 'bank.example',
      GATEWAY_ROOT_URL: 'https://gateway.example',
    }
    expect(givenSandbox({ ...env, ...own }).environment.VASP_DOMAIN).toBe('bank.example')
    expect(existsSync(env.DATA_DIR ?? '')).toBe(false)
    ensureSandbox(env)
    expect(givenSandbox(env).settings.vaspDomain).toBe('localhost:3000')
  })

  it('are not created for an invalid environment', () => {
    expect(() => ensureSandbox({ ...env, PORT: 'x' })).toThrow(/^PORT is not usable/)
    expect(existsSync(env.DATA_DIR ?? '')).toBe(false)
  })

  it('get new keys on request, and keep the rest', () => {
    const before = ensureSandbox(env).environment
    renewKeys(env)
    const after = ensureSandbox(env).environment
    expect(after.JWT_PRIVATE_KEY).not.toBe(before.JWT_PRIVATE_KEY)
    expect(after.VASP_DOMAIN).toBe(before.VASP_DOMAIN)
  })
})

describe('the processes of the demo', () => {
  it('use the ports, origins and folders of the environment', () => {
    const moved = ensureSandbox({ ...env, PORT: '3300', GATEWAY_PORT: '8380', RELAY_PORT: '7747', APP_PORT: '3500' })
    expect(demoProcesses(moved, { gateway: true })).toMatchObject([
      { listens: { port: 3300 }, aliveUrl: 'http://localhost:3300/-/ready', env: { VASP_DOMAIN: 'localhost:3300' } },
      {
        listens: { port: 8380 },
        aliveUrl: 'http://localhost:8380/-/alive',
        env: {
          NWC_APP_ROOT_URL: 'http://localhost:8380',
          UMA_VASP_LOGIN_URL: 'http://localhost:3300/connect',
          GATEWAY_DATA_DIR: join(folder, 'northbank', 'gateway'),
          RELAY: 'ws://localhost:7747',
        },
      },
      {
        listens: { port: 7747 },
        aliveUrl: 'http://localhost:7747/-/alive',
        env: { RELAY_DATA_DIR: join(folder, 'northbank', 'relay') },
      },
      {
        listens: { port: 3500 },
        aliveUrl: 'http://localhost:3500/-/ready',
        env: {
          APP_ROOT_URL: 'http://localhost:3500',
          APP_EXAMPLE_DOMAIN: 'localhost:3300',
          APP_VASP_URL: 'http://localhost:3300',
          APP_DATA_DIR: join(folder, 'northbank', 'app'),
          RELAY: 'ws://localhost:7747',
        },
      },
    ])
    expect(demoProcesses(moved, { gateway: false }).map(({ name }) => name)).toEqual(['VASP', 'relay', 'shop'])
  })

  it.each([
    [true, {}, ''],
    [true, { PAYMENT_WAIT_SECONDS: '60' }, '60'],
    [false, {}, '30'],
    [false, { PAYMENT_WAIT_SECONDS: '60' }, '60'],
  ])('let a call wait for its payment as the gateway needs: simulator %s, %j, %j seconds', (gateway, more, seconds) => {
    const sandbox = ensureSandbox({ ...env, ...(more as Record<string, string>) })
    const southbank = ensureSouthbank(sandbox)
    const vasps = demoProcesses(sandbox, { gateway, southbank }).filter(({ args }) => args[0] === 'server.js')
    expect(vasps.map((each) => each.env.PAYMENT_WAIT_SECONDS)).toEqual([seconds, seconds])
  })

  it('include a simulator unless the gateway is elsewhere', () => {
    expect(hasSimulator(ensureSandbox(env))).toBe(true)
    expect(hasSimulator(ensureSandbox({ ...env, GATEWAY_ROOT_URL: 'https://gateway.example' }))).toBe(false)
  })

  it('reject an invalid port with one line', () => {
    const moved = ensureSandbox({ ...env, GATEWAY_ROOT_URL: 'http://localhost:8080', GATEWAY_PORT: '80800' })
    expect(() => demoProcesses(moved, { gateway: true })).toThrow(/^GATEWAY_PORT is not usable: .*\.$/)
  })
})

describe('the notes of the demo about its gateway', () => {
  const notes = (more: Record<string, string>, gateway: boolean): string[] =>
    gatewayNotes(ensureSandbox({ ...env, ...more }), { gateway })

  it('are none for the simulator', () => {
    expect(notes({}, true)).toEqual([])
    expect(notes({ GATEWAY_RELAY_URL: 'ws://localhost:7447/' }, true)).toEqual([])
  })

  it('name a relay that is ignored, and the one that is used', () => {
    for (const gateway of [true, false])
      expect(notes({ GATEWAY_RELAY_URL: 'wss://relay.example', RELAY_PORT: '7747' }, gateway)[0]).toBe(
        'GATEWAY_RELAY_URL=wss://relay.example is ignored: the demo starts its own relay at ws://localhost:7747. RELAY_PORT moves it. A server started with npm start uses GATEWAY_RELAY_URL.',
      )
  })

  it('say how long a call waits with a gateway of the user’s own, unless the user set it', () => {
    expect(notes({}, false)).toEqual([
      expect.stringMatching(/^Northbank answers a call after 30 seconds at the latest/),
    ])
    expect(notes({ PAYMENT_WAIT_SECONDS: '60' }, false)).toEqual([])
  })
})

describe('the summary', () => {
  it('has four lines, and a fifth with the changed settings', () => {
    expect(summary(ensureSandbox(env), {}, { gateway: true })).toHaveLength(4)
    const moved = { ...env, PORT: '3300', SANDBOX_PASSWORD: "it's ours" }
    const lines = summary(ensureSandbox(moved), moved, { gateway: false })
    expect(lines[1]).toContain("password: it's ours")
    expect(lines[4]).toContain(`PORT=3300 SANDBOX_PASSWORD='it'\\''s ours'`)
  })

  it('names relay and shop for the user’s own gateway', () => {
    const moved = { ...env, PORT: '3300', GATEWAY_PORT: '8380', RELAY_PORT: '7747', APP_PORT: '3500' }
    const lines = summary(ensureSandbox(moved), moved, { gateway: false })
    expect(lines[0]).toBe(
      '  Open     http://localhost:3300, or http://localhost:3500 (a shop to pay in: give it a pairing URI from your gateway)   (a sandbox: no real money)',
    )
    expect(lines[3]).toBe(
      '  Gateway  yours is expected at http://localhost:8380, over the relay ws://localhost:7747; its settings: npm run --silent gateway:config -- --format=python',
    )
  })
})
