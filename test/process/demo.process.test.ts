import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '@/lib/platform/db/database'
import { signIn } from '../../sandbox/fetch-token'
import { LOOPBACKS, requireFree } from '../../sandbox/ports'
import { startProcess, stopProcess, untilAnswers, type RunningProcess } from '../../sandbox/processes'
import { ensureSandbox } from '../../sandbox/settings'
import { emptyDataDir, preparedDataDir } from '../databases/embedded'
import { migratedDataDir } from '../databases/migrated'
import { freePort } from '../programs/free-port'
import { isAlive } from '../programs/is-alive'
import { runScript, type Ran } from '../programs/run-script'
import { runCommand, type Command } from '../stack/command'
import { weightsBelow } from '../stack/weight'

// The promises of `npm run demo`, tested on a real process with the server and the simulator as children.

const commands: Command[] = []
const folders: string[] = []
let place: Readonly<Record<string, string>> = {}
let vaspPort = 0
let gatewayPort = 0
let relayPort = 0
let appPort = 0
let southbankPort = 0

beforeAll(async () => {
  const dataDir = await migratedDataDir()
  folders.push(dataDir)
  vaspPort = await freePort()
  gatewayPort = await freePort()
  relayPort = await freePort()
  appPort = await freePort()
  southbankPort = await freePort()
  place = {
    DATA_DIR: dataDir,
    PORT: String(vaspPort),
    GATEWAY_PORT: String(gatewayPort),
    RELAY_PORT: String(relayPort),
    APP_PORT: String(appPort),
    SOUTHBANK_PORT: String(southbankPort),
    SOUTHBANK_GATEWAY_PORT: String(await freePort()),
    VASP_NAME: 'Foobank',
    SANDBOX_PASSWORD: 'a word of our own',
  }
})

afterAll(async () => {
  for (const { child } of commands) child.kill('SIGKILL')
  await Promise.all(commands.map(({ code }) => code))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function run(args: readonly string[], env: Readonly<Record<string, string>> = place): Command {
  const command = runCommand(args, env)
  commands.push(command)
  return command
}

const demo = (...args: string[]): Command => run(['sandbox/demo.ts', ...args])
const FOUR_LINES = /^ {2}Open .*\n {2}Sign in .*\n {2}API .*\n {2}Gateway .*$/m

const vaspOrigin = (): string => `http://localhost:${vaspPort}`
/** `npm run token` against the running demo, without the compilation of each run. */
const token = (args: readonly string[]): Promise<Ran> => runScript('scripts/token.ts', place, args)
const claimsOf = (text: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>

async function portsAreFree(): Promise<boolean> {
  try {
    for (const port of [vaspPort, gatewayPort, relayPort, appPort, southbankPort])
      await requireFree({ setting: 'PORT', port, hosts: LOOPBACKS })
    return true
  } catch {
    return false
  }
}

let running: Command | undefined

it('Of two demos that start at the same moment, one runs, and the other prints the address of the first', async () => {
  const both = [demo(), demo()]
  const first = await Promise.race(both.map(async (each) => (await each.code, each)))
  const other = both.find((each) => each !== first)
  await other?.says(/Ready in/)
  expect(await first.code).toBe(1)
  expect(first.written()).toContain(
    `The demo is already running (process ${other?.child.pid}) at http://localhost:${vaspPort}.`,
  )
  running = other
})

it('The environment overrides the defaults in every address that is printed or polled', async () => {
  const said = running?.written() ?? ''
  expect(said).toMatch(FOUR_LINES)
  expect(said).toContain('Starting Foobank and Southbank …')
  expect(said).toContain(`http://localhost:${southbankPort} (Southbank`)
  expect((await fetch(`http://localhost:${southbankPort}/-/ready`)).status).toBe(200)
  expect(said).toContain(`Open     http://localhost:${appPort} (a shop to pay in), or http://localhost:${vaspPort} `)
  expect(said).toContain('Sign in  as alice, bob, yuki, khalid or penny, password: a word of our own')
  expect(said).toContain(`http://localhost:${vaspPort}/umanwc/v1`)
  const discovery = await fetch(`http://localhost:${vaspPort}/.well-known/uma-configuration`)
  expect(await discovery.json()).toMatchObject({
    name: 'Foobank',
    authorization_endpoint: `http://localhost:${gatewayPort}/oauth/auth`,
  })
})

it('Every process shows its pages, and no process of the start remains', async () => {
  const user = { username: 'alice', password: 'a word of our own' }
  const southbank = `http://localhost:${southbankPort}`
  const gateway = `http://localhost:${gatewayPort}`
  const shop = `http://localhost:${appPort}`
  const here = await signIn({ vaspOrigin: vaspOrigin(), instance: 'foobank', ...user })
  const there = await signIn({ vaspOrigin: southbank, instance: 'southbank', ...user })
  const look = async (url: string, Cookie = ''): Promise<void> => {
    const response = await fetch(url, { headers: { Cookie } })
    await response.arrayBuffer()
    expect(response.status, url).toBe(200)
  }
  for (const path of [
    '',
    '/wallets',
    '/wallets/USD',
    '/wallets/receive',
    '/wallets/send',
    '/connections',
    '/openapi.json',
  ]) {
    await look(vaspOrigin() + path, here)
    await look(southbank + path, there)
  }
  for (const url of [`${vaspOrigin()}/login`, gateway, `${gateway}/login`, shop, `${shop}/wallet`]) await look(url)
  // The supervisor, both VASPs, the gateway simulator, the relay and the shop.
  if (process.platform === 'linux') expect(weightsBelow(running?.child.pid ?? 0)).toHaveLength(6)
})

it('A second demo prints that the first one is running, and erases nothing even with --reset', async () => {
  for (const args of [[], ['--reset']]) {
    const second = demo(...args)
    expect(await second.code).toBe(1)
    expect(second.written()).toMatch(
      /^\s*The demo is already running \(process \d+\) at http:\/\/localhost:\d+\. .+\n$/,
    )
  }
  expect(existsSync(join(place.DATA_DIR ?? '', 'database'))).toBe(true)
  expect((await fetch(`http://localhost:${vaspPort}/-/ready`)).status).toBe(200)
})

it('The token command prints a token with the requested lifetime', async () => {
  const before = Math.floor(Date.now() / 1000)
  const command = run(['scripts/token.ts', 'alice', '--permissions', 'get_budget', '--expiration', '3600'])
  expect(await command.code).toBe(0)
  const lifetime = Number(claimsOf(command.written()).exp) - before
  expect(lifetime).toBeGreaterThanOrEqual(3_600)
  expect(lifetime).toBeLessThan(3_660)
})

it('The token command explains a wrong password and a server that is not running', async () => {
  const wrong = run(['scripts/token.ts', 'alice', '--password', 'sandbox'])
  expect(await wrong.code).toBe(1)
  expect(wrong.written()).toMatch(/^Sign-in as alice was refused: .*--password.*SANDBOX_PASSWORD.*\n$/)
  const absent = run(['scripts/token.ts', 'alice'], { ...place, PORT: String(await freePort()) })
  expect(await absent.code).toBe(1)
  expect(absent.written()).toMatch(/^Nothing answers at http:\/\/localhost:\d+\. .*\n$/)
})

it('The token command prints a token of a real connection, and nothing else', async () => {
  const { code, out, err } = await token(['alice', '--permissions', 'get_info,get_balance'])
  expect([code, err]).toEqual([0, ''])
  expect(claimsOf(out)).toMatchObject({ sub: 'alice', scope: 'get_info get_budget get_balance' })
  expect(claimsOf(out)).not.toHaveProperty('exp')
  const response = await fetch(`${vaspOrigin()}/umanwc/v1/info`, { headers: { Authorization: `Bearer ${out}` } })
  expect(response.status).toBe(200)
})

it('The token command sets the requested expiry, and rejects an invalid one', async () => {
  const end = Math.floor(Date.now() / 1000) + 3_600
  expect(claimsOf((await token(['bob', '--expiration', String(end)])).out).exp).toBe(end)
  for (const text of ['1h', '', 'NaN', '1e9', '-5', '12.5', 'tomorrow', '0x7fffffff']) {
    const { code, out, err } = await token(['alice', `--expiration=${text}`])
    expect([code, out], text).toEqual([2, ''])
    expect(err, text).toMatch(
      /^--expiration is a whole number of seconds, such as 3600 for an hour\. For help, run: npm run token -- --help$/,
    )
  }
  const past = await token(['alice', '--expiration', String(end - 7_200)])
  expect([past.code, past.out]).toEqual([2, ''])
})

it('The token command explains a missing user name and a refused sign-in', async () => {
  expect((await token([])).err).toMatch(/^Name one user, such as alice\. For help, run: npm run token -- --help$/)
  expect((await token(['alice', '--password', 'wrong'])).err).toMatch(/^Sign-in as alice was refused/)
})

it('The token command rejects an unknown permission', async () => {
  const { code, out, err } = await token(['alice', '--permissions', 'get_balance,pay_invoce'])
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(
    /^--permissions: there is no command pay_invoce\. There are get_info, .+\. For help, run: npm run token -- --help$/,
  )
  const other = await token(['alice', '--permissions', 'get_transactions'])
  expect(claimsOf(other.out).scope).toBe('get_info get_budget list_transactions')
})

it('A port that another program uses stops the demo with one line that names the port', async () => {
  const stranger = createServer()
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  const address = stranger.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const dataDir = emptyDataDir()
  folders.push(dataDir)
  const refused = run(['sandbox/demo.ts'], { ...place, DATA_DIR: dataDir, PORT: String(port) })
  expect(await refused.code).toBe(1)
  expect(refused.written()).toMatch(
    new RegExp(`^\\s*Port ${port} is taken by .+: stop it, or set PORT to another port\\.\\n$`),
  )
  await new Promise((resolve) => stranger.close(resolve))
})

it('When the server is killed, the demo prints the signal, stops the other processes and says how to continue', async () => {
  const [, pid] = /process (\d+)/.exec(await holderOfVasp()) ?? []
  process.kill(Number(pid), 'SIGKILL')
  expect(await running?.code).toBe(1)
  expect(running?.written()).toMatch(
    /The VASP was ended by SIGKILL; its full output is in \S+\. Its last message: [^{\n]+\n.*Start again: npm run demo/,
  )
  const [, logFile = ''] = /its full output is in (\S+)\. /.exec(running?.written() ?? '') ?? []
  expect(logFile).toBe(join(place.DATA_DIR ?? '', 'demo', 'vasp.log'))
  const log = readFileSync(logFile, 'utf8')
  expect(log).toMatch(/^\{.*"path":"\/umanwc\/v1\/token".*\}$/m)
  // The token created above passed through it.
  expect(log).not.toContain('eyJ')
  expect(await portsAreFree()).toBe(true)
})

/** The answer that a demo would get on the VASP's port. */
async function holderOfVasp(): Promise<string> {
  return requireFree({ setting: 'PORT', port: vaspPort, hosts: LOOPBACKS }).then(
    () => '',
    (error: unknown) => String(error),
  )
}

it('At once after kill -9 of the demo the next demo starts, the old processes end, and Ctrl-C stops it', async () => {
  const killed = demo()
  await killed.says(/Ready in/)
  // The demo itself, two VASPs, the gateway simulator, the relay and the shop; found in Linux's /proc.
  const family = process.platform === 'linux' ? weightsBelow(killed.child.pid ?? 0).map(({ pid }) => pid) : []
  if (process.platform === 'linux') expect(family).toHaveLength(6)
  killed.child.kill('SIGKILL')
  const next = demo('--no-gateway')
  await next.says(/Ready in/)
  await expect.poll(() => family.filter(isAlive)).toEqual([])
  expect(next.written()).not.toContain('gateway simulator')
  next.child.kill('SIGINT')
  expect(await next.code).toBe(0)
  expect(next.written()).toContain('Stopping …')
  expect(await portsAreFree()).toBe(true)
})

it('A start beside a demo that is stopping says that it waits, and then starts', async () => {
  const old = demo('--no-gateway', '--no-southbank')
  await old.says(/Ready in/)
  const relay = pidOf('relay')
  // Stopping takes as long as this process is suspended.
  process.kill(relay, 'SIGSTOP')
  old.child.kill('SIGINT')
  await old.says(/Stopping …/)
  const next = demo('--no-gateway', '--no-southbank')
  await next.says(new RegExp(`Waiting for the demo of process ${old.child.pid} to stop, 0 s so far`))
  process.kill(relay, 'SIGCONT')
  expect(await old.code).toBe(0)
  await next.says(/Ready in/)
  next.child.kill('SIGINT')
  expect(await next.code).toBe(0)
})

/** A process of the running demo, as the next demo would find it. */
function pidOf(name: string): number {
  const record = JSON.parse(readFileSync(join(place.DATA_DIR ?? '', 'demo', 'demo.json'), 'utf8')) as {
    processes: { name: string; pid: number }[]
  }
  return record.processes.find((each) => each.name === name)?.pid ?? 0
}

it('A first start that is killed while it creates the database is repeated by the next start', async () => {
  const dataDir = emptyDataDir()
  folders.push(dataDir)
  expect(existsSync(join(dataDir, 'database'))).toBe(false)
  const first = run(['sandbox/demo.ts', '--no-gateway', '--no-southbank'], { ...place, DATA_DIR: dataDir })
  const isCreating = (): boolean => readdirSync(dataDir).some((name) => name.startsWith('database.new-'))
  await expect.poll(isCreating, { interval: 20 }).toBe(true)
  first.child.kill('SIGKILL')
  const next = run(['sandbox/demo.ts', '--no-gateway', '--no-southbank'], { ...place, DATA_DIR: dataDir })
  await next.says(/Ready in/)
  expect(next.written()).toMatch(FOUR_LINES)
  expect(existsSync(join(dataDir, 'database'))).toBe(true)
  next.child.kill('SIGINT')
  expect(await next.code).toBe(0)
  expect(readdirSync(dataDir).filter((name) => name.includes('.new'))).toEqual([])
})

it('A server that is killed in each step of its first start completes the start, with the opening balances once', async () => {
  const dataDir = await preparedDataDir()
  folders.push(dataDir)
  const { environment } = ensureSandbox({ ...place, DATA_DIR: dataDir })
  const start = (): RunningProcess => startProcess('VASP', ['server.js'], { ...process.env, ...environment })
  for (const step of ['Applying migration 20261124000000_baseline', 'Creating the test users', 'Checking the books']) {
    const { child, closed } = start()
    child.on('message', (message) => (message as { step?: string }).step === step && child.kill('SIGKILL'))
    await closed
    expect(child.signalCode, step).toBe('SIGKILL')
  }
  const server = start()
  await untilAnswers(server, `http://localhost:${vaspPort}/-/ready`, { says: /"ready":true/ })
  await stopProcess(server)
  const db = await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })
  const openings = await db.query({
    name: 'openings',
    text: `select count(*) from journal_entries where kind = 'opening'`,
  })
  await db.close()
  expect(openings).toEqual([{ count: 6n }])
})

it('`npm start` with a port other than that of the settings file serves its pages on that port', async () => {
  const port = await freePort()
  const { DATA_DIR = '' } = place
  const server = startProcess('server', ['server.js'], { ...process.env, DATA_DIR, PORT: String(port) })
  try {
    await untilAnswers(server, `http://localhost:${port}/login`)
  } finally {
    await stopProcess(server)
  }
})

it('`npm start` on a folder without settings prints one line that says so', async () => {
  const dataDir = emptyDataDir()
  folders.push(dataDir)
  const { NEXTAUTH_SECRET: _secret, ...env } = process.env
  const server = startProcess('server', ['server.js'], { ...env, DATA_DIR: dataDir })
  await new Promise((resolve) => server.child.once('close', resolve))
  expect(server.lastLines()).toMatch(new RegExp(`^There is no settings\\.env in ${dataDir}: run .* once`))
})
