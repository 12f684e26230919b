import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadSettings, SETTING_NAMES } from '@/lib/platform/config'
import { CONNECTION_LIMITS } from '@/lib/platform/http/http-server'
import { RELAY_PORT } from '@/sandbox/gateway-command/relay-config'

const read = (name: string): string => readFileSync(`deploy/${name}`, 'utf8')
/** `NAME=value` lines; comments and sections are left out. */
const pairsOf = (text: string): [string, string][] =>
  [...text.matchAll(/^([A-Za-z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value])

const env = Object.fromEntries(pairsOf(read('vasp.env')))
const unit = pairsOf(read('vasp@.service'))
const proxy = read('Caddyfile')
const secondsOf = (option: string): number => Number(new RegExp(`${option} (\\d+)s`).exec(proxy)?.[1])

describe('deploy/vasp.env', () => {
  it('has variables of the settings table only', () => {
    for (const name of Object.keys(env)) expect(SETTING_NAMES).toContain(name)
  })

  it('is accepted by the server once its secrets are set', () => {
    const secrets = { NEXTAUTH_SECRET: 's'.repeat(32), SANDBOX_TEAM_PASSWORD: 'p'.repeat(12) }
    const settings = loadSettings({ ...env, ...secrets, PORT: '3000' })
    expect([settings.drainSeconds, settings.teamPassword]).toEqual([10, 'p'.repeat(12)])
  })
})

describe('deploy/vasp@.service', () => {
  it('starts the server as npm start does', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } }
    const [, command] = unit.find(([name]) => name === 'ExecStart') ?? []
    expect(`MALLOC_ARENA_MAX=2 exec ${command?.replace('/usr/bin/', '')}`).toBe(scripts.start)
  })

  it('sets variables of the settings table only, besides those of Node and the C library', () => {
    const set = unit.filter(([name]) => name === 'Environment').map(([, value]) => value.split('=')[0])
    expect(set.filter((name = '') => !SETTING_NAMES.includes(name))).toEqual(['NODE_ENV', 'MALLOC_ARENA_MAX'])
  })

  it('gives the server time to drain and to wait for payments when it stops', () => {
    const [, seconds] = unit.find(([name]) => name === 'TimeoutStopSec') ?? []
    expect(Number(seconds)).toBeGreaterThanOrEqual(Number(env.DRAIN_SECONDS) + 40)
  })
})

describe('deploy/vasp-backup.service', () => {
  const backup = read('vasp-backup.service')

  it('runs a script of the repository, and keeps its files from the instances', () => {
    const [, folder] = pairsOf(backup).find(([name]) => name === 'WorkingDirectory') ?? []
    expect(backup).toContain(`ExecStart=/bin/sh /srv/vasp/current/deploy/backup.sh ${folder}\n`)
    expect(folder).toBe(`/var/lib/${pairsOf(backup).find(([name]) => name === 'StateDirectory')?.[1]}`)
    expect(unit).toContainEqual(['InaccessiblePaths', `-${folder}`])
  })

  it('keeps the backups for as many days as the script does by itself', () => {
    const [days] = /(?<=KEEP_DAYS=)\d+/.exec(backup) ?? []
    expect(read('backup.sh')).toContain(`\${KEEP_DAYS:-${days}}`)
  })
})

describe('deploy/Caddyfile', () => {
  it('takes an instance out of rotation before its port closes', () => {
    expect(proxy).toContain('health_uri /-/serving')
    expect(secondsOf('health_interval') + secondsOf('health_timeout')).toBeLessThan(Number(env.DRAIN_SECONDS))
  })

  it('has polled a fresh instance before docs/host.md and docs/operate.md stop the next one', () => {
    const loop = /for port in 3000 3001; do[^]*?\n *done\n/.exec(readFileSync('docs/host.md', 'utf8'))?.[0] ?? ''
    expect(loop).toMatch(/systemctl restart vasp@\$port\n.*\/-\/serving; do sleep 1; done\n/)
    expect(Number(/^ *sleep (\d+)/m.exec(loop)?.[1])).toBeGreaterThan(
      secondsOf('health_interval') + secondsOf('health_timeout'),
    )
  })

  it('keeps idle connections for less time than an instance does, and waits for a payment', () => {
    expect(secondsOf('keepalive') * 1_000).toBeLessThan(CONNECTION_LIMITS.keepAliveTimeout)
    const { paymentWaitSeconds } = loadSettings({ NEXTAUTH_SECRET: 's'.repeat(32) })
    expect(secondsOf('response_header_timeout')).toBeGreaterThan(paymentWaitSeconds)
  })
})

describe('deploy/gateway.caddy', () => {
  const sites = read('gateway.caddy')

  it('finds the gateway and the relay where they listen', () => {
    expect(read('gateway.sh')).toContain(' --host 127.0.0.1 --port 8090 ')
    expect([...new Set(sites.match(/127\.0\.0\.1:\d+/g))]).toEqual(['127.0.0.1:8090', `127.0.0.1:${RELAY_PORT}`])
  })

  it('has the names that docs/host.md replaces and deploy/make-env.sh writes', () => {
    expect(sites.match(/^\{\$\w+:.*\} \{$/gm)).toEqual([
      '{$GATEWAY_SITE:gateway.vasp.example} {',
      '{$RELAY_SITE:relay.vasp.example} {',
    ])
    const [command = ''] = /sed .* deploy\/gateway\.caddy/.exec(readFileSync('docs/host.md', 'utf8')) ?? []
    const written = execFileSync('sh', ['-c', command], { encoding: 'utf8' })
    expect(written.match(/[a-z]+\.sandbox\.example/g)).toEqual(['gateway.sandbox.example', 'relay.sandbox.example'])
    expect(written).not.toContain('vasp.example')
  })
})

describe('docs/host.md', () => {
  it('deletes all releases but the newest two', () => {
    const [line = ''] = /^ *ls -1vd .* rm -rf --$/m.exec(readFileSync('docs/host.md', 'utf8')) ?? []
    const folder = mkdtempSync(join(tmpdir(), 'vasp-releases-'))
    for (const release of ['1', '2', '9', '10', '11']) mkdirSync(join(folder, release, '.git'), { recursive: true })
    execFileSync('sh', ['-c', line.replace('/srv/vasp/releases', folder)])
    expect(readdirSync(folder).toSorted()).toEqual(['10', '11'])
    execFileSync('sh', ['-c', line.replace('/srv/vasp/releases', folder)])
    expect(readdirSync(folder)).toHaveLength(2)
    rmSync(folder, { recursive: true })
  })

  it('gives each instance a port of its own for its metrics', () => {
    const text = readFileSync('docs/host.md', 'utf8')
    const [loop = ''] = /for port in 3000 3001; do\n *mkdir[^]*?\n *done\n/.exec(text) ?? []
    const folder = mkdtempSync(join(tmpdir(), 'vasp-metrics-'))
    execFileSync('sh', ['-c', loop.replaceAll('/etc/systemd/system', folder)])
    const ports = ['3000', '3001'].map((port) => {
      const file = readFileSync(join(folder, `vasp@${port}.service.d`, 'metrics.conf'), 'utf8')
      const [, pair] = /^\[Service\]\nEnvironment=(\S+)\n$/.exec(file) ?? []
      const secrets = { NEXTAUTH_SECRET: 's'.repeat(32), SANDBOX_TEAM_PASSWORD: 'p'.repeat(12) }
      return loadSettings({ ...env, ...secrets, ...Object.fromEntries([pair?.split('=') ?? []]) }).metricsPort
    })
    expect(ports).toEqual([9000, 9001])
    rmSync(folder, { recursive: true })
  })

  const { satisfies } = createRequire(import.meta.url)('semver') as {
    readonly satisfies: (version: string, range: string) => boolean
  }
  interface Locked {
    readonly engines?: Readonly<Partial<Record<'node' | 'npm', string>>>
    readonly dev?: boolean
    readonly devOptional?: boolean
  }
  /** Of Debian 13. */
  const DEBIAN = { node: '20.19.2', npm: '9.2.0' }
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> }
  const warned = Object.entries(packages).filter(([, { engines = {} }]) =>
    (['node', 'npm'] as const).some((each) => !satisfies(DEBIAN[each], engines[each] ?? '*')),
  )

  it('names each package for which npm of Debian prints EBADENGINE, and no other', () => {
    const [, sentence = ''] =
      /prints `EBADENGINE` warnings for ([^.]*)\./.exec(readFileSync('docs/host.md', 'utf8')) ?? []
    const named = [...sentence.matchAll(/`([^`]+)`/g)].map(([, name]) => `node_modules/${name}`)
    expect(named.toSorted()).toEqual(warned.map(([path]) => path).toSorted())
  })

  it('calls only packages harmless that the server does without', () => {
    for (const [path, { dev, devOptional }] of warned) expect(dev === true || devOptional === true, path).toBe(true)
  })
})
