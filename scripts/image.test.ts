import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { parseYaml } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { IMPLEMENTED_COMMANDS } from '@/lib/backend/methods'
import { loadSettings, SETTING_NAMES } from '@/lib/platform/config'
import { loadGatewaySettings } from '@/sandbox/gateway/settings'
import { loadShopSettings } from '@/sandbox/shop/settings'
import { instructionsOf, stageOf, textsOf } from '@/test/texts/dockerfile'

const dockerfile = instructionsOf(readFileSync('Dockerfile', 'utf8'))
const vasp = stageOf(dockerfile, 'vasp')

const Service = z.object({
  build: z.union([z.string(), z.object({ context: z.string(), target: z.string().optional() })]).optional(),
  image: z.string().optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  network_mode: z.string().optional(),
  profiles: z.array(z.string()).default([]),
  depends_on: z.unknown().optional(),
  logging: z.object({ driver: z.string(), options: z.record(z.string(), z.string()) }).optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  scale: z.string().optional(),
  cap_drop: z.array(z.string()).default([]),
  read_only: z.boolean().default(false),
})
const Compose = z.object({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
  networks: z.object({
    default: z.object({ ipam: z.object({ config: z.tuple([z.object({ subnet: z.string() })]) }) }),
  }),
})
const { services, volumes, networks } = Compose.parse(parseYaml(readFileSync('compose.yaml', 'utf8')))
function service(name: string): z.output<typeof Service> {
  const found = services[name]
  if (found === undefined) throw new Error(`compose.yaml has no ${name}`)
  return found
}

/** The file of `deploy/make-env.sh`, as Compose reads it. */
let env: NodeJS.Dict<string>
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vasp-make-env-'))
  const file = join(folder, 'compose.env')
  execFileSync('sh', ['deploy/make-env.sh', file], { stdio: 'pipe' })
  env = parseEnv(readFileSync(file, 'utf8'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** `environment` of a service with the values of the file. Fails for a variable that the file does not have. */
function environmentOf(name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(service(name).environment).map(([key, text]) => [
      key,
      text.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => {
        if (env[variable] === undefined) throw new Error(`compose.env has no ${variable}`)
        return env[variable]
      }),
    ]),
  )
}

describe('Dockerfile', () => {
  it('starts the server as npm start does', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } }
    const [command = ''] = textsOf(vasp, 'CMD')
    const environment = textsOf(vasp, 'ENV')
    expect(environment.join(' ')).toContain('NODE_ENV=production')
    expect(environment.join(' ')).toContain('MALLOC_ARENA_MAX=2')
    expect(`MALLOC_ARENA_MAX=2 exec ${(JSON.parse(command) as string[]).join(' ')}`).toBe(scripts.start)
  })

  it('runs the server as a user other than root, with production packages and a health check', () => {
    expect(textsOf(vasp, 'USER')).toEqual(['node'])
    expect(textsOf(vasp, 'RUN').join()).toMatch(/^npm ci --omit=dev /)
    expect(textsOf(vasp, 'HEALTHCHECK').join()).toContain('/-/alive')
  })

  it('copies files that exist', () => {
    const sources = textsOf(dockerfile, 'COPY')
      .filter((text) => !text.startsWith('--from='))
      .flatMap((text) => text.split(/\s+/).slice(0, -1))
    expect(sources).toContain('server.js')
    for (const source of sources) expect([source, existsSync(source)]).toEqual([source, true])
  })
})

describe('.dockerignore', () => {
  it('keeps settings, keys and data of a checkout out of every image', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n')
    for (const secret of ['**/*.env', '.env.local', '**/*.key', 'gateway', 'gateway.py', '.data', '.git'])
      expect(ignored).toContain(secret)
  })

  it('leaves the build the documents that the server shows', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n')
    const page = readFileSync('app/(dashboard)/developers/start/page.tsx', 'utf8')
    const shown = Array.from(page.matchAll(/from '@\/(docs\/[\w-]+\.md)'/g), ([, file]) => `!${file}`)
    expect(shown).toHaveLength(2)
    expect(ignored.filter((line) => line.startsWith('!'))).toEqual(shown)
  })
})

describe('deploy/make-env.sh', () => {
  it('writes settings that a server starts with, to a file that only its owner can read', () => {
    const settings = loadSettings({ ...env, ...environmentOf('vasp-1') })
    expect([settings.teamPassword, settings.drainSeconds]).toEqual([env.SANDBOX_TEAM_PASSWORD, 10])
    expect(statSync(join(folder, 'compose.env')).mode & 0o777).toBe(0o600)
  })

  it('fills in every secret of deploy/vasp.env', () => {
    const empty = Object.entries(env).filter(([, value]) => value === '')
    expect(empty).toEqual([])
  })

  it('names and starts the relay and the shop only when the sandbox is for this machine', () => {
    expect([env.GATEWAY_RELAY_URL, env.SAMPLE_APP_URL]).toEqual(['ws://localhost:7447', 'http://localhost:3200'])
    const file = join(folder, 'public.env')
    execFileSync('sh', ['deploy/make-env.sh', file, 'sandbox.example', 'https://gateway.example'])
    expect(readFileSync(file, 'utf8')).not.toMatch(/COMPOSE_PROFILES|GATEWAY_RELAY_URL|SAMPLE_APP_URL/)
  })

  it('starts the public gateway and its relay on names of the sandbox, unless it has a gateway elsewhere', () => {
    const made = (...args: readonly string[]): NodeJS.Dict<string> => {
      const file = join(folder, `${args.length}.env`)
      execFileSync('sh', ['deploy/make-env.sh', file, ...args], { stdio: 'pipe' })
      return parseEnv(readFileSync(file, 'utf8'))
    }
    const here = made('sandbox.example')
    expect(here).toMatchObject({
      GATEWAY_ROOT_URL: 'https://gateway.sandbox.example',
      GATEWAY_RELAY_URL: 'wss://relay.sandbox.example',
      PAYMENT_WAIT_SECONDS: '30',
      PUBLIC_GATEWAY: '1',
      GATEWAY_SITE: 'gateway.sandbox.example',
      RELAY_SITE: 'relay.sandbox.example',
    })
    expect(here).not.toHaveProperty('COMPOSE_PROFILES')
    expect(loadSettings({ ...here, PORT: '3000' }).gatewayRelayUrl).toBe('wss://relay.sandbox.example')
    // Caddy asks no authority for a name below localhost.
    const elsewhere = { PUBLIC_GATEWAY: '0', GATEWAY_SITE: 'gateway.localhost', RELAY_SITE: 'relay.localhost' }
    expect(made('sandbox.example', 'https://gateway.example')).toMatchObject(elsewhere)
    expect(env).toMatchObject({ ...elsewhere, COMPOSE_PROFILES: 'simulator' })
    expect(made('sandbox.example', 'https://gateway.example', 'wss://relay.example')).toMatchObject({
      ...elsewhere,
      GATEWAY_RELAY_URL: 'wss://relay.example',
    })
  })

  it('refuses to replace a file', () => {
    const before = readFileSync(join(folder, 'compose.env'), 'utf8')
    const again = (): Buffer =>
      execFileSync('sh', ['deploy/make-env.sh', join(folder, 'compose.env')], { stdio: 'pipe' })
    expect(again).toThrow(/nothing was written/)
    expect(readFileSync(join(folder, 'compose.env'), 'utf8')).toBe(before)
  })
})

describe('compose.yaml', () => {
  it('sets only variables of the settings table for the VASP', () => {
    for (const name of ['vasp-1', 'vasp-2'])
      for (const key of Object.keys(environmentOf(name))) expect(SETTING_NAMES).toContain(key)
  })

  it('reads only variables of the settings table, of PostgreSQL and of the image builds', () => {
    const text = readFileSync('compose.yaml', 'utf8')
    const used = new Set([...text.matchAll(/\$\{(\w+)[^}]*\}/g)].map(([, name = '']) => name))
    const others = [...used].filter((name) => !SETTING_NAMES.includes(name))
    expect(others.sort()).toEqual([
      'BUILD_COMMIT',
      'GATEWAY_SITE',
      'GATEWAY_SOURCE',
      'POSTGRES_PASSWORD',
      'PUBLIC_GATEWAY',
      'RELAY_SITE',
      'RELAY_SOURCE',
    ])
  })

  it('calls an instance healthy when the proxy may send requests to it', () => {
    const [port = ''] = textsOf(vasp, 'EXPOSE')
    for (const name of ['vasp-1', 'vasp-2'])
      expect(service(name).healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${port}/-/serving`)
  })

  it('trusts the proxy of its own network', () => {
    expect(service('vasp-1').environment.TRUSTED_PROXIES).toBe(networks.default.ipam.config[0].subnet)
  })

  it('gives the proxy both instances at the port of the image', () => {
    const [port = ''] = textsOf(vasp, 'EXPOSE')
    expect(service('vasp-1').environment.PORT).toBe(port)
    expect(service('caddy').environment.UPSTREAMS).toBe(`vasp-1:${port} vasp-2:${port}`)
  })

  it('gives the simulator and the shop settings that they accept', () => {
    const gateway = loadGatewaySettings(environmentOf('simulator'))
    expect(gateway.VASP_SUPPORTED_COMMANDS).toEqual([...IMPLEMENTED_COMMANDS])
    const shop = loadShopSettings(environmentOf('shop'))
    expect(service('caddy').ports).toContain(`127.0.0.1:${gateway.GATEWAY_PORT}:${gateway.GATEWAY_PORT}`)
    expect(service('caddy').ports).toContain(`127.0.0.1:${shop.APP_PORT}:${shop.APP_PORT}`)
    expect(service('caddy').ports).toContain('127.0.0.1:7447:7447')
    expect([gateway.RELAY, shop.RELAY]).toEqual(['ws://localhost:7447', 'ws://localhost:7447'])
  })

  it('builds targets of the Dockerfile, and mounts volumes and files that exist', () => {
    for (const { build, volumes: mounts } of Object.values(services)) {
      if (typeof build === 'object') expect(stageOf(dockerfile, build.target ?? '')).not.toEqual([])
      for (const mount of mounts) {
        const [source = ''] = mount.split(':')
        // The operator writes this folder.
        if (source === './gateway') continue
        expect([source, source.startsWith('./') ? existsSync(source) : source in volumes]).toEqual([source, true])
      }
    }
  })

  it('keeps at most 100 MB of log for each container', () => {
    const options = { 'max-size': '20m', 'max-file': '5' }
    for (const [name, { logging }] of Object.entries(services))
      expect([name, logging]).toEqual([name, { driver: 'json-file', options }])
  })

  it('starts the public gateway and its relay, and the simulator only by its profile', () => {
    const profiles = Object.entries(services).filter(([, { profiles: named }]) => named.length > 0)
    expect(profiles.map(([name, { profiles: named }]) => [name, ...named])).toEqual([
      ['simulator-relay', 'simulator'],
      ['shop', 'simulator', 'shop'],
      ['simulator', 'simulator'],
    ])
    expect(env.COMPOSE_PROFILES).toBe('simulator')
    for (const name of ['gateway', 'relay']) expect(service(name).scale).toBe('${PUBLIC_GATEWAY:-1}')
  })

  it('starts the gateway and the relay as systemd does, from the files of gateway:config', () => {
    const unit = readFileSync('deploy/vasp-gateway.service', 'utf8')
    expect(unit).toContain('ExecStart=/bin/sh /srv/vasp/current/deploy/gateway.sh\n')
    expect(service('gateway').volumes).toContain('./deploy/gateway.sh:/etc/gateway.sh:ro')
    expect(service('gateway').command).toEqual(['sh', '/etc/gateway.sh'])
    expect(service('gateway').environment).toMatchObject({
      QUART_APP: 'nwc_backend',
      QUART_CONFIG: '/etc/vasp-gateway/gateway.py',
    })
    expect(service('relay').command?.slice(1)).toEqual(['--config', '/etc/vasp-gateway/relay.toml'])
    const folders = ['gateway', 'relay'].map((name) => `${name}:/var/lib/vasp-${name}`)
    for (const [index, name] of ['gateway', 'relay'].entries())
      expect(service(name).volumes).toEqual(
        expect.arrayContaining(['./gateway:/etc/vasp-gateway:ro', folders[index] ?? '']),
      )
  })

  it('gives the gateway and the relay no capability, no file to write besides their volumes, and no port but Caddy’s', () => {
    for (const name of ['gateway', 'relay'])
      expect(service(name)).toMatchObject({
        cap_drop: ['ALL'],
        read_only: true,
        ports: [],
        network_mode: 'service:caddy',
      })
  })

  it('gives the private keys of Caddy to no simulator, and starts simulators after the certificate is copied', () => {
    const readers = Object.entries(services).filter(([, { volumes: mounts }]) =>
      mounts.some((mount) => mount.startsWith('caddy:')),
    )
    expect(readers.map(([name]) => name)).toEqual(['caddy', 'certificate'])
    const copied = { certificate: { condition: 'service_completed_successfully' } }
    for (const name of ['simulator-relay', 'shop', 'simulator', 'gateway'])
      expect(service(name).depends_on).toEqual(copied)
  })
})
