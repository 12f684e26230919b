import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LOOPBACKS, requireFree } from '../../sandbox/shared/ports'
import { freePort } from '../programs/free-port'
import { runScript, type Ran } from '../programs/run-script'
import type { Command } from '../stack/command'
import { weightsBelow } from '../stack/weight'
import { FOUR_LINES, openDemoPlace, visitPages, type DemoPlace } from './demo-place'

// The promises of `npm run demo`, tested on a real process with the servers, the simulator and the shop as children.

let place: DemoPlace
beforeAll(async () => {
  place = await openDemoPlace()
})
afterAll(() => place.close())

const vaspOrigin = (): string => `http://localhost:${place.vaspPort}`
/** `npm run token` against the running demo, without the compilation of each run. */
const token = (args: readonly string[], input = ''): Promise<Ran> =>
  runScript('scripts/token.ts', place.env, args, input)
const claimsOf = (text: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>

let running: Command | undefined

it('Of two demos that start at the same moment, one runs, and the other prints the address of the first', async () => {
  const both = [place.demo(), place.demo()]
  const first = await Promise.race(both.map(async (each) => (await each.code, each)))
  const other = both.find((each) => each !== first)
  await other?.says(/Ready in/)
  expect(await first.code).toBe(1)
  expect(first.written()).toContain(
    `The demo is already running (process ${other?.child.pid}) at http://localhost:${place.vaspPort}.`,
  )
  running = other
})

it('The environment overrides the defaults in every address that is printed or polled', async () => {
  const said = running?.written() ?? ''
  expect(said).toMatch(FOUR_LINES)
  expect(said).toContain('Starting Foobank and Southbank …')
  expect(said).toContain(`http://localhost:${place.southbankPort} (Southbank`)
  expect((await fetch(`http://localhost:${place.southbankPort}/-/ready`)).status).toBe(200)
  expect(said).toContain(
    `Open     http://localhost:${place.appPort} (a shop to pay in), or http://localhost:${place.vaspPort} `,
  )
  expect(said).toContain('Sign in  as alice, bob, yuki, khalid or penny, password: a word of our own')
  expect(said).toContain(`http://localhost:${place.vaspPort}/umanwc/v1`)
  const discovery = await fetch(`http://localhost:${place.vaspPort}/.well-known/uma-configuration`)
  expect(await discovery.json()).toMatchObject({
    name: 'Foobank',
    authorization_endpoint: `http://localhost:${place.gatewayPort}/oauth/auth`,
  })
})

it('Every process shows its pages, and no process of the start remains', async () => {
  await visitPages(place)
  // The supervisor, both VASPs, the gateway simulator, the relay and the shop.
  if (process.platform === 'linux') expect(weightsBelow(running?.child.pid ?? 0)).toHaveLength(6)
})

it('A second demo prints that the first one is running, and erases nothing even with --reset', async () => {
  for (const args of [[], ['--reset']]) {
    const second = place.demo(...args)
    expect(await second.code).toBe(1)
    expect(second.written()).toMatch(
      /^\s*The demo is already running \(process \d+\) at http:\/\/localhost:\d+\. .+\n$/,
    )
  }
  expect(existsSync(join(place.env.DATA_DIR ?? '', 'database'))).toBe(true)
  expect((await fetch(`http://localhost:${place.vaspPort}/-/ready`)).status).toBe(200)
})

it('The token command prints a token with the requested lifetime', async () => {
  const before = Math.floor(Date.now() / 1000)
  const command = place.run(['scripts/token.ts', 'alice', '--permissions', 'get_budget', '--expiration', '3600'])
  expect(await command.code).toBe(0)
  const lifetime = Number(claimsOf(command.written()).exp) - before
  expect(lifetime).toBeGreaterThanOrEqual(3_600)
  expect(lifetime).toBeLessThan(3_660)
})

it('The token command explains a wrong password and a server that is not running', async () => {
  const wrong = await token(['alice', '--password-stdin'], 'sandbox\n')
  expect([wrong.code, wrong.out]).toEqual([1, ''])
  expect(wrong.err).toMatch(/^Sign-in as alice was refused: .*--password-stdin.*SANDBOX_PASSWORD.*$/)
  const absent = place.run(['scripts/token.ts', 'alice'], { ...place.env, PORT: String(await freePort()) })
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

it('A port that another program uses stops the demo with one line that names the port', async () => {
  const stranger = createServer()
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  const address = stranger.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const dataDir = place.newFolder()
  const refused = place.run(['sandbox/demo/demo.ts'], { ...place.env, DATA_DIR: dataDir, PORT: String(port) })
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
  expect(logFile).toBe(join(place.env.DATA_DIR ?? '', 'demo', 'vasp.log'))
  const log = readFileSync(logFile, 'utf8')
  expect(log).toMatch(/^\{.*"path":"\/umanwc\/v1\/token".*\}$/m)
  // The token created above passed through it.
  expect(log).not.toContain('eyJ')
  expect(await place.portsAreFree()).toBe(true)
})

/** The answer that a demo would get on the VASP's port. */
async function holderOfVasp(): Promise<string> {
  return requireFree({ setting: 'PORT', port: place.vaspPort, hosts: LOOPBACKS }).then(
    () => '',
    (error: unknown) => String(error),
  )
}
