import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { expect, it } from 'vitest'
import { stopProcess, untilAnswers, type RunningProcess } from '../../sandbox/shared/processes'
import { startTestPostgres } from '../databases/postgres'
import { startCaddy } from '../programs/caddy'
import { missingPackages } from '../programs/debian'
import { freePort } from '../programs/free-port'
import { instructionsOf, stageOf, textsOf, type Instruction } from '../texts/dockerfile'

// No container engine is needed: the steps of the image's last stage run as processes.
const stage = stageOf(instructionsOf(readFileSync('Dockerfile', 'utf8')), 'vasp')

it(
  'the files of the image, installed in an empty folder, serve a sign-in behind TLS',
  { timeout: 300_000 },
  async (test) => {
    const missing = missingPackages(['caddy'])
    if (missing !== undefined) return test.skip(missing)
    const folder = mkdtempSync(join(tmpdir(), 'vasp-image-'))
    const postgres = await startTestPostgres()
    const running: RunningProcess[] = []
    try {
      for (const instruction of stage) carryOut(instruction, folder)
      const proxyPort = await freePort()
      const domain = `localhost:${proxyPort}`
      const settings = settingsOf(folder, domain)
      const env: NodeJS.ProcessEnv = {
        ...settings,
        ...environmentOfImage(),
        PATH: process.env.PATH,
        DATA_DIR: folder,
        DATABASE_URL: await postgres?.createDatabase(),
      }
      // The embedded database belongs to one process.
      const ports = await Promise.all((postgres === undefined ? [1] : [1, 2]).map(() => freePort()))
      for (const port of ports) running.push(await startServer(folder, { ...env, PORT: String(port) }))

      const caddy = await startCaddy({ site: domain, upstreams: ports })
      const visitor = makeVisitor(`https://${domain}`, caddy.certificate)
      await expect.poll(async () => (await visitor.get('/-/serving')).status).toBe(200)
      expect((await visitor.get('/login')).text).toContain('Team password')
      await visitor.post('/login/team', { team_password: settings.SANDBOX_TEAM_PASSWORD ?? '', back: '' })
      const login = await visitor.get('/login')
      await visitor.post('/api/auth/callback/credentials', fieldsOf(login.text, 'Continue as Alice'))
      expect((await visitor.get('/wallets')).text).toContain(`$alice@${domain}`)
      expect(visitor.cookies().filter((cookie) => !/; secure\b/i.test(cookie))).toEqual([])
      await caddy.stop()

      const users = execFileSync(process.execPath, ['scripts/ready.mjs', 'scripts/users.ts', 'list'], {
        cwd: folder,
        env: { ...env, PORT: String(ports[0]) },
        encoding: 'utf8',
      })
      expect(users).toContain('alice')
    } finally {
      await Promise.all(running.map((each) => stopProcess(each)))
      await postgres?.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

interface Visitor {
  get(path: string): Promise<{ readonly status: number; readonly text: string }>
  /** Sends a form as a page of the site does. */
  post(
    path: string,
    form: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly text: string }>
  /** As they were set. */
  cookies(): string[]
}

/** Keeps cookies as a browser does, and trusts this certificate, which `fetch` cannot. */
function makeVisitor(origin: string, certificate: string | undefined): Visitor {
  const kept = new Map<string, string>()
  async function send(path: string, body?: string): Promise<{ status: number; text: string }> {
    const sent = request(`${origin}${path}`, {
      ca: certificate,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Cookie: [...kept.values()].map((cookie) => cookie.split(';', 1)[0]).join('; '),
        ...(body !== undefined && {
          Origin: origin,
          'Content-Type': 'application/x-www-form-urlencoded',
          'Content-Length': String(Buffer.byteLength(body)),
        }),
      },
    }).end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    for (const cookie of answer.headers['set-cookie'] ?? []) kept.set(cookie.split('=', 1)[0] ?? '', cookie)
    return { status: answer.statusCode ?? 0, text: await readText(answer) }
  }
  return {
    get: (path) => send(path),
    post: (path, form) => send(path, new URLSearchParams(form).toString()),
    cookies: () => [...kept.values()],
  }
}

/** The fields of the form with this button. */
function fieldsOf(page: string, button: string): Record<string, string> {
  // React separates the parts of a text by empty comments.
  const forms = [...page.replaceAll('<!-- -->', '').matchAll(/<form.*?<\/form>/gs)].map(([form]) => form)
  const form = forms.find((each) => each.includes(button)) ?? ''
  const fields = [...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)]
  expect(fields.length, button).toBeGreaterThan(0)
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]))
}

/** COPY copies from this repository, whose build replaces that of the build stage. RUN runs only `npm ci`. */
function carryOut({ name, text: value }: Instruction, folder: string): void {
  if (name === 'COPY') {
    const paths = value.replace(/^--from=build /, '').split(/\s+/)
    const target = paths.at(-1) ?? ''
    for (const path of paths.slice(0, -1)) {
      const source = path.replace(/^\/srv\/vasp\//, '')
      const to = join(folder, target === './' ? source : target)
      cpSync(source, to, { recursive: true, filter: (file) => !file.startsWith('.next/cache') })
    }
  }
  if (name === 'RUN') {
    const [install = ''] = value.split(' && ')
    expect(install).toMatch(/^npm ci /)
    const args = [...install.split(' ').slice(1), '--prefer-offline', '--loglevel=error']
    execFileSync('npm', args, { cwd: folder, stdio: 'pipe' })
    mkdirSync(join(folder, '.cache'))
  }
}

/** The ENV instructions. */
function environmentOfImage(): NodeJS.ProcessEnv {
  const pairs = textsOf(stage, 'ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=', 2)))
  return { NODE_ENV: undefined, ...Object.fromEntries(pairs) }
}

/** The file that `deploy/make-env.sh` writes, as systemd and Compose read it. */
function settingsOf(folder: string, domain: string): NodeJS.Dict<string> {
  const file = join(folder, 'vasp.env')
  execFileSync('sh', ['deploy/make-env.sh', file, domain], { stdio: 'pipe' })
  return parseEnv(readFileSync(file, 'utf8'))
}

/** Runs CMD, waits until it answers, and runs the health check once. */
async function startServer(folder: string, env: NodeJS.ProcessEnv): Promise<RunningProcess> {
  const [command = ''] = textsOf(stage, 'CMD')
  const child = spawn(process.execPath, argumentsOf(command), { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const closed = once(child, 'close').then(() => undefined)
  const running = { name: 'VASP', child, lastLines: () => output.slice(-4_000), closed, logFile: undefined }
  await untilAnswers(running, `http://127.0.0.1:${env.PORT}/-/alive`)
  const [check = ''] = textsOf(stage, 'HEALTHCHECK')
  execFileSync(process.execPath, argumentsOf(check.slice(check.indexOf('['))), { env, stdio: 'pipe' })
  return running
}

/** The arguments after `node`; this process runs its own `node`. */
function argumentsOf(command: string): string[] {
  const [node, ...args] = JSON.parse(command) as string[]
  expect(node).toBe('node')
  return args
}
