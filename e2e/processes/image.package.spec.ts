import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'playwright/test'
import { stopProcess, untilAnswers, type RunningProcess } from '../../sandbox/processes'
import { instructionsOf, stageOf, textsOf, type Instruction } from '../../test/texts/dockerfile'
import { freePort } from '../../test/processes/free-port'
import { startTestPostgres } from '../../test/databases/postgres'
import { startReadyProxy } from '../../test/processes/ready-proxy'

// No container engine is needed: the steps of the image's last stage run as processes.
const stage = stageOf(instructionsOf(readFileSync('Dockerfile', 'utf8')), 'vasp')

test('the files of the image, installed in an empty folder, serve a sign-in behind TLS', async ({ browser }) => {
  test.setTimeout(300_000)
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

    const proxy = await startReadyProxy(ports, { tlsFor: [], port: proxyPort })
    for (const port of ports) await proxy.seesReady(port)
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    await page.goto(`${proxy.origin}/login`)
    await page.getByLabel('Team password').fill(settings.SANDBOX_TEAM_PASSWORD ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Continue as Alice' }).click()
    await expect(page.getByText(`$alice@${domain}`).first()).toBeVisible()
    await page.close()
    await proxy.stop()

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
})

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
