import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptPath } from '@/test/programs/script'
import { newNodeSecret } from '@/test/vasp/keys'
import { ensureSandbox } from '../sandbox/shared/settings'

describe('npm run gateway:config', () => {
  let folder: string
  let env: Record<string, string>
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-config-'))
    env = { DATA_DIR: join(folder, 'northbank') }
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const keysFile = (): string => join(env.DATA_DIR ?? '', 'gateway-keys.env')
  function run(...options: readonly string[]): { status: number | null; out: string; err: string } {
    const { PATH = '' } = process.env
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [scriptPath('scripts/gateway-config.ts'), ...options],
      { env: { PATH, NODE_ENV: 'production', ...env }, encoding: 'utf8' },
    )
    return { status, out: stdout, err: stderr }
  }
  const keyIn = (text: string, name = 'NOSTR_PRIVKEY'): string | undefined =>
    new RegExp(`^${name} = "([0-9a-f]{64})"$`, 'm').exec(text)?.[1]

  it('prints keys that it generates once, keeps for one user only, and never puts into settings.env', () => {
    ensureSandbox(env)
    const first = run('--format=python')
    expect(first).toMatchObject({ status: 0, err: '' })
    expect(keyIn(first.out)).toBeDefined()
    expect(keyIn(first.out, 'SECRET_KEY')).not.toBe(keyIn(first.out))
    expect(run()).toEqual(first)
    expect(statSync(keysFile()).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(env.DATA_DIR ?? '', 'settings.env'), 'utf8')).not.toContain(keyIn(first.out))
  })

  it('names the relay of the demo and the path of the gateway’s root', () => {
    ensureSandbox(env)
    env = { ...env, RELAY_PORT: '7747', GATEWAY_ROOT_URL: 'http://localhost:4380/nwc' }
    const { out } = run('--format=python')
    expect(out).toContain('RELAY = "ws://localhost:7747"\n')
    expect(out).toContain('BASE_PATH = "/nwc"\n')
    expect(out).toContain('--port 4380\n')
  })

  it('renews both keys with --new-keys, and warns that every pairing ends', () => {
    ensureSandbox(env)
    const before = run().out
    const renewed = run('--new-keys')
    expect(renewed).toMatchObject({ status: 0, err: expect.stringContaining('every pairing ends') as string })
    for (const name of ['NOSTR_PRIVKEY', 'SECRET_KEY']) {
      expect(keyIn(renewed.out, name)).toBeDefined()
      expect(keyIn(renewed.out, name)).not.toBe(keyIn(before, name))
    }
    expect(run().out).toBe(renewed.out)
  })

  it('refuses a damaged key file and names it', () => {
    ensureSandbox(env)
    run()
    writeFileSync(keysFile(), 'NOSTR_PRIVKEY=short\n')
    const { status, out, err } = run()
    expect([status, out]).toEqual([1, ''])
    expect(err).toContain(`${keysFile()} is damaged`)
  })

  it('prints the command that generates keys for a server that the environment configures, and writes nothing', () => {
    env = {
      ...env,
      NEXTAUTH_SECRET: 'x'.repeat(32),
      LIGHTNING_NODE_KEY: newNodeSecret(),
      VASP_DOMAIN: 'bank.example',
      GATEWAY_ROOT_URL: 'https://gateway.example',
    }
    const { status, out } = run('--format=python')
    expect(status).toBe(0)
    expect(keyIn(out)).toBeUndefined()
    expect(out).toContain('secrets.token_hex(32)')
    expect(existsSync(env.DATA_DIR ?? '')).toBe(false)
    expect(run('--new-keys')).toMatchObject({ status: 1, out: '' })
  })

  it('writes the files of a host into a folder, with the keys that it generates once', () => {
    ensureSandbox(env)
    env = { ...env, GATEWAY_RELAY_URL: 'wss://relay.sandbox.example' }
    const host = join(folder, 'host')
    const first = run('--format=host', `--folder=${host}`)
    expect(first).toMatchObject({ status: 0, err: '' })
    expect(first.out).toMatch(/^Wrote \S+gateway\.py and \S+relay\.toml\. Keep the folder with your other secrets\.\n$/)
    const files = (): string[] => ['gateway.py', 'relay.toml'].map((name) => readFileSync(join(host, name), 'utf8'))
    const written = files()
    expect(run('--format=host', `--folder=${host}`)).toEqual(first)
    expect(files()).toEqual(written)
    expect(run('--format=host', `--folder=${host}`, '--new-keys').err).toContain('every pairing ends')
    expect(keyIn(files()[0] ?? '')).not.toBe(keyIn(written[0] ?? ''))
    expect(existsSync(keysFile())).toBe(false)
  })

  it('says what a host has left out, and what a relay without TLS cannot do', () => {
    ensureSandbox(env)
    const host = join(folder, 'host')
    expect(run('--format=host')).toMatchObject({
      status: 2,
      err: expect.stringMatching(/^--format=host takes --folder/) as string,
    })
    expect(run(`--folder=${host}`)).toMatchObject({
      status: 2,
      err: expect.stringMatching(/^--folder is for/) as string,
    })
    const { status, out, err } = run('--format=host', `--folder=${host}`)
    expect([status, out]).toEqual([1, ''])
    expect(err).toMatch(/^GATEWAY_RELAY_URL is missing: [^\n]+\n$/)
    expect(existsSync(host)).toBe(false)
    env = { ...env, GATEWAY_RELAY_URL: 'ws://relay.sandbox.internal' }
    expect(run('--format=host', `--folder=${host}`)).toMatchObject({
      status: 0,
      err: expect.stringContaining('need manual connections') as string,
    })
  })

  it('rejects another format with one line', () => {
    const { status, out, err } = run('--format=yaml')
    expect([status, out]).toEqual([2, ''])
    expect(err).toMatch(/^--format takes python or host\. For help, run: [^\n]+\n$/)
  })
})
