import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '@/test/programs/free-port'
import { copyToPack, install, pack, runIn } from '@/test/programs/packed'

// The sections of the package's README about frameworks, each in an empty folder with the package as npm would publish it.

const README = readFileSync('packages/uma-auth-vasp/README.md', 'utf8')
const TARBALL = './uma-auth-vasp.tgz'
const ROOT = 'http://localhost:8080'
const USER = `{ id: '42', address: '$alice@localhost:4000', currencyCode: 'SAT' }`

/** A file that the README tells its reader to save. */
function fileNamed(name: string): string {
  const [, code] = new RegExp(`<!-- file: ${name} -->\n\n\`\`\`\\w+\n([^]*?)\`\`\``).exec(README) ?? []
  if (code === undefined) throw new Error(`the README has no file ${name}`)
  return code
}

/** The VASP of the README's first example, without its server. */
function vaspFile(): string {
  const [, code = ''] = /run `node example\.mjs`[^]*?```js\n([^]*?)```/.exec(README) ?? []
  const [, vasp] = /^([^]*?\n}\))\n/.exec(code.replace('const vasp', 'export const vasp')) ?? []
  if (vasp === undefined) throw new Error('the README has no example')
  const imported = vasp.split('\n').filter((line) => !/node:http|node-http/.test(line))
  return `${imported.join('\n')}\n`
}

/** A login whose users are signed in at once, with one session for each cookie. */
const LOGIN = `
import { vasp } from './vasp.mjs'
export function sessionOf(cookies = '') {
  const [, known] = /binding=([\\w-]+)/.exec(cookies) ?? []
  const sessionBinding = known ?? crypto.randomUUID()
  return { sessionBinding, cookie: 'binding=' + sessionBinding + '; HttpOnly' }
}
export async function connect(request, { sessionBinding }) {
  const login = await vasp.login.start(request, sessionBinding)
  if (login instanceof Response) return login
  const { pending } = login
  return vasp.login.finish({ method: 'GET', pending, sessionBinding, user: ${USER} })
}
`

interface Framework {
  readonly name: string
  readonly packages: readonly string[]
  readonly source: string
  readonly program: string
}

const FRAMEWORKS: readonly Framework[] = [
  { name: 'Fastify', packages: ['fastify@5.12.8'], source: 'server.mjs on Fastify', program: 'server.mjs' },
  {
    name: 'NestJS',
    packages: [
      '@nestjs/common@12.5.1',
      '@nestjs/core@12.5.1',
      '@nestjs/platform-express@12.5.1',
      'reflect-metadata@0.2.2',
      'rxjs@7.8.2',
      '@types/express@5.0.6',
      '@types/node@20.19.43',
      'typescript@7.0.2',
    ],
    source: 'server.ts on NestJS',
    program: 'server.js',
  },
]

const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    isolatedModules: true,
    allowJs: true,
    checkJs: false,
    noImplicitAny: false,
    outDir: 'out',
    types: ['node'],
  },
  files: ['server.ts'],
}

/** Milliseconds. Each installation writes thousands of small files. */
const INSTALLING = 300_000

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'frameworks-'))
  const target = join(folder, 'packed')
  mkdirSync(target)
  pack(copyToPack('uma-auth-vasp', folder), target)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }), INSTALLING)

describe.each(FRAMEWORKS)('the section $name of the README', ({ name, packages, source, program }) => {
  let server: ChildProcess | undefined
  let origin: string
  let port: number

  beforeAll(async () => {
    const user = join(folder, name)
    mkdirSync(user)
    const { version } = JSON.parse(readFileSync('packages/uma-auth-vasp/package.json', 'utf8')) as { version: string }
    cpSync(join(folder, 'packed', `uma-auth-vasp-${version}.tgz`), join(user, TARBALL))
    writeFileSync(join(user, 'package.json'), '{ "private": true, "type": "module" }')
    writeFileSync(join(user, 'vasp.mjs'), vaspFile())
    writeFileSync(join(user, 'login.mjs'), LOGIN)
    writeFileSync(join(user, source.split(' ', 1)[0] ?? ''), fileNamed(source))
    install(user, TARBALL, ...packages)
    let started = join(user, program)
    if (source.includes('.ts')) {
      writeFileSync(join(user, 'tsconfig.json'), JSON.stringify(TSCONFIG))
      runIn(user, process.execPath, 'node_modules/typescript/bin/tsc')
      started = join(user, 'out', program)
    }
    port = await freePort()
    origin = `http://localhost:${port}`
    server = spawn(process.execPath, [started], {
      cwd: user,
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = once(server, 'exit').then(([code]) => Promise.reject(new Error(`the server ended with ${code}`)))
    ended.catch(() => undefined)
    const answers = (): Promise<boolean> =>
      fetch(origin).then(
        () => true,
        () => false,
      )
    await Promise.race([ended, vi.waitUntil(answers, { timeout: 60_000 })])
  }, INSTALLING)

  afterAll(async () => {
    if (server === undefined || server.exitCode !== null) return
    const ended = once(server, 'exit')
    server.kill()
    await ended
  })

  const call = async (path: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`${origin}/umanwc/v1${path}`, init)
    return { status: response.status, body: await response.json() }
  }
  const withToken = (token: string): RequestInit => ({ headers: { Authorization: `Bearer ${token}` } })
  const login = (redirectUri: string, init: RequestInit = {}) =>
    fetch(`${origin}/connect?${new URLSearchParams({ redirect_uri: redirectUri })}`, { redirect: 'manual', ...init })

  it('signs in, exchanges the token and answers a call', async () => {
    const redirect = await login(`${ROOT}/auth/callback`)
    expect(redirect.status).toBe(303)
    expect(redirect.headers.getSetCookie()).toEqual([expect.stringMatching(/^binding=[\w-]+; HttpOnly$/)])
    const token = new URL(redirect.headers.get('location') ?? '').searchParams.get('token') ?? ''
    const body = JSON.stringify({ permissions: ['get_balance'] })
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const exchanged = await call('/token', { method: 'POST', body, headers })
    expect(exchanged.status).toBe(200)
    const connection = (exchanged.body as { token: string }).token
    expect(await call('/balance', withToken(connection))).toMatchObject({ status: 200, body: { balance: 21_000 } })
    expect(await call('/info', withToken(connection))).toMatchObject({ body: { lud16: '$alice@localhost:4000' } })
  })

  it('refuses a redirect to another host, and HEAD creates no login', async () => {
    const refused = await login('https://evil.example/')
    expect([refused.status, await refused.text()]).toEqual([400, 'Invalid redirect_uri'])
    const head = await login(`${ROOT}/`, { method: 'HEAD' })
    expect(head.status).toBeGreaterThanOrEqual(404)
    expect(head.status).toBeLessThan(500)
  })

  it('answers as the package does, whatever the framework would do with the request', async () => {
    expect(await call('/nowhere')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    expect(await call('/invoices/a%2Fb')).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
    expect(await call('/balance', { method: 'DELETE' })).toMatchObject({ status: 405, body: { code: 'OTHER' } })
    expect((await fetch(`${origin}/umanwc/v1/info`, { method: 'HEAD' })).status).toBe(405)
    expect((await fetch(`${origin}/umanwc/v1/info`, { method: 'OPTIONS' })).status).toBe(405)
    const headers = { 'Content-Type': 'text/csv' }
    const body = '{"permissions":["get_balance"'
    expect(await call('/token', { method: 'POST', headers, body })).toMatchObject({ status: 401 })
    const discovery = await fetch(`${origin}/.well-known/uma-configuration`, {
      headers: { Origin: 'https://app.example' },
    })
    expect([discovery.status, discovery.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  })

  it.each(['/umanwc/v1/balance', '/umanwc/v1/nowhere?a=/b', '/.well-known/uma-configuration', '/nowhere'])(
    'answers %s in absolute form as the path alone',
    async (path) => {
      const statusOf = async (target: string): Promise<number | undefined> => {
        const sent = request({ port, path: target }).end()
        const [answer] = (await once(sent, 'response')) as [IncomingMessage]
        answer.resume()
        return answer.statusCode
      }
      const status = await statusOf(path)
      for (const authority of [`localhost:${port}`, 'bank.example', 'user@bank.example:1'])
        expect(await statusOf(`http://${authority}${path}`)).toBe(status)
    },
  )

  it('keeps the connection after a refused body, and serves its own pages', async () => {
    const large = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `"${'x'.repeat(2_000_000)}"`,
    }
    expect((await call('/token', large)).status).toBe(401)
    expect((await call('/nowhere')).status).toBe(404)
    expect((await fetch(`${origin}/nowhere`)).status).toBe(404)
  })
})
