import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadAllGatewaySettings } from '../gateway/settings'
import { ensureSandbox } from '../shared/settings'
import { demoProcesses } from './demo-processes'
import { summary } from './demo-summary'
import { ensureSouthbank, hasSouthbank, nodeKeyOf, withPeer } from './southbank'

describe('the second VASP of a demo', () => {
  let folder: string
  let env: Readonly<Record<string, string>>
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vasp-southbank-'))
    env = { DATA_DIR: join(folder, 'northbank') }
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('has its own name, ports, folder and keys, and keeps them', () => {
    const first = ensureSandbox(env)
    const { settings } = ensureSouthbank(first)
    expect(settings).toMatchObject({
      vaspName: 'Southbank',
      instance: 'southbank',
      publicOrigin: 'http://localhost:3001',
      dataDir: join(folder, 'northbank', 'southbank'),
    })
    expect(settings.gatewayRootUrl.origin).toBe('http://localhost:8081')
    for (const key of ['jwtPrivateKeyPem', 'nextAuthSecret', 'lightningNodeKeyHex'] as const)
      expect(settings[key]).not.toBe(first.settings[key])
    expect(ensureSouthbank(first).settings.lightningNodeKeyHex).toBe(settings.lightningNodeKeyHex)
  })

  it('uses the ports after those of the first one, unless its own ports are set', () => {
    const beside = ensureSouthbank(ensureSandbox({ ...env, PORT: '3300', GATEWAY_PORT: '8380' })).settings
    expect([beside.port, beside.gatewayRootUrl.port]).toEqual([3301, '8381'])
    const moved = { ...env, PORT: '3300', SOUTHBANK_PORT: '4000', SOUTHBANK_GATEWAY_PORT: '4001' }
    const elsewhere = ensureSouthbank(ensureSandbox(moved)).settings
    expect([elsewhere.publicOrigin, elsewhere.gatewayRootUrl.origin]).toEqual([
      'http://localhost:4000',
      'http://localhost:4001',
    ])
  })

  it('receives no setting that is meant for the first one only, and the password of both', () => {
    const first = ensureSandbox({
      ...env,
      DATABASE_URL: 'postgresql://first',
      VASP_NAME: 'Foobank',
      API_ALLOWED_NETWORKS: '10.0.0.0/8',
      SANDBOX_PASSWORD: 'a shared password',
    })
    const { settings, environment } = ensureSouthbank(first)
    expect(settings.printedPassword).toBe('a shared password')
    // The process inherits the environment of the first; settings that must not reach it are emptied.
    expect(environment).toMatchObject({ DATABASE_URL: '', API_ALLOWED_NETWORKS: '', VASP_NAME: 'Southbank' })
  })

  it('and the first one are Lightning peers of each other, in addition to configured peers', () => {
    const stranger = `02${'b'.repeat(64)}@http://localhost:9`
    const first = ensureSandbox({ ...env, LIGHTNING_PEERS: stranger })
    const second = ensureSouthbank(first)
    const theirs = `${nodeKeyOf(second)}@http://localhost:3001`
    expect(withPeer(first, second).environment.LIGHTNING_PEERS).toBe(`${stranger},${theirs}`)
    expect(withPeer(withPeer(first, second), second).environment.LIGHTNING_PEERS).toBe(`${stranger},${theirs}`)
    expect(withPeer(second, first).environment.LIGHTNING_PEERS).toBe(`${nodeKeyOf(first)}@http://localhost:3000`)
  })

  it('and the first one exchange UMA messages over http, each with its own keys', () => {
    const first = ensureSandbox({ ...env, UMA_LOCAL_PEERS: 'vasp1.local' })
    const second = ensureSouthbank(first)
    expect(withPeer(first, second).environment.UMA_LOCAL_PEERS).toBe('vasp1.local,localhost:3001')
    expect(withPeer(second, first).environment.UMA_LOCAL_PEERS).toBe('localhost:3000')
    for (const key of ['umaSigningKeyHex', 'umaEncryptionKeyHex'] as const) {
      expect(second.settings[key]).toMatch(/^[0-9a-f]{64}$/)
      expect(second.settings[key]).not.toBe(first.settings[key])
    }
  })

  it('is one more process, and its gateway runs in the existing simulator', () => {
    const first = ensureSandbox(env)
    const southbank = ensureSouthbank(first)
    const processes = demoProcesses(first, { gateway: true, southbank })
    expect(processes.map(({ name }) => name)).toEqual(['VASP', 'Southbank', 'gateway simulator', 'relay', 'shop'])
    const simulator = processes[2]
    expect(simulator?.alsoListens).toMatchObject({ setting: 'SOUTHBANK_GATEWAY_PORT', port: 8081 })
    const [own, second, ...more] = loadAllGatewaySettings(simulator?.env ?? {})
    expect(more).toEqual([])
    expect([own?.GATEWAY_PORT, own?.UMA_VASP_LOGIN_URL]).toEqual([8080, 'http://localhost:3000/connect'])
    expect([second?.GATEWAY_PORT, second?.UMA_VASP_LOGIN_URL]).toEqual([8081, 'http://localhost:3001/connect'])
    expect(second?.GATEWAY_DATA_DIR).not.toBe(own?.GATEWAY_DATA_DIR)
    expect(demoProcesses(first, { gateway: false, southbank }).map(({ name }) => name)).not.toContain(
      'gateway simulator',
    )
  })

  it('is named in the summary', () => {
    const first = ensureSandbox(env)
    const lines = summary(first, {}, { gateway: true, southbank: ensureSouthbank(first) })
    expect(lines).toHaveLength(4)
    expect(lines[0]).toContain('http://localhost:3001 (Southbank')
  })

  it('does not exist next to a VASP that other machines can reach, which cannot have a peer on this machine', () => {
    expect(hasSouthbank(ensureSandbox(env))).toBe(true)
    const far = {
      ...env,
      VASP_DOMAIN: 'bank.example',
      GATEWAY_ROOT_URL: 'https://gateway.example',
      SANDBOX_TOOLS: 'off',
    }
    expect(hasSouthbank(ensureSandbox(far))).toBe(false)
  })
})
