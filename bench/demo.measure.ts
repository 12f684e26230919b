import { rmSync } from 'node:fs'
import { expect, test } from 'playwright/test'
import { MEASURED, measured } from '../e2e/support/measured'
import { signIn } from '../sandbox/fetch-token'
import { emptyDataDir } from '../test/databases/embedded'
import { freePort } from '../test/programs/free-port'
import { runCommand, type Command } from '../test/stack/command'
import { databaseCpuMs, weightsBelow } from '../test/stack/weight'

// The time and memory that the demo takes. The build exists already; without it, the first start takes half a minute
// longer. Only a fresh clone could measure the installation of the packages and the build.

const SECOND_START_MS = 12_000
/** CPU time in units of one empty embedded database. Two VASPs, each with a database and Next, measured 2.05 to 2.16 in all. */
const SECOND_START_COSTS = 3
const TOGETHER_MB = 900
/** Added for npm and its shell: they start the demo in a terminal, but not in this test. */
const NPM_MB = 60

test.describe.configure({ mode: 'serial' })

let place: Readonly<Record<string, string>> = {}
let demo: Command | undefined

test.beforeAll(async () => {
  place = {
    DATA_DIR: emptyDataDir(),
    PORT: String(await freePort()),
    GATEWAY_PORT: String(await freePort()),
    RELAY_PORT: String(await freePort()),
    APP_PORT: String(await freePort()),
    SOUTHBANK_PORT: String(await freePort()),
    SOUTHBANK_GATEWAY_PORT: String(await freePort()),
    VASP_NAME: 'Weighbank',
  }
})

test.afterAll(async () => {
  demo?.child.kill('SIGTERM')
  await demo?.code
  rmSync(place.DATA_DIR ?? '', { recursive: true, force: true })
})

/** Milliseconds until the four lines are printed. */
async function start(): Promise<number> {
  const startedAt = performance.now()
  demo = runCommand(['sandbox/demo.ts'], place)
  await demo.says(/^ {2}Gateway .*\n/m)
  return Math.round(performance.now() - startedAt)
}

test(
  'The demo on an empty folder: its start, and its memory after a visit to every page',
  { tag: MEASURED },
  async () => {
    // The demo ends a start in which a process stands still. Without that, a busy machine needs its time.
    test.setTimeout(0)
    console.log(`  First start of the demo: ${await start()} ms`)
    test.skip(process.platform !== 'linux', 'memory is read from /proc')
    await lookAround()
    const weights = weightsBelow(demo?.child.pid ?? 0)
    console.log(weights.map(({ command, megabytes }) => `  ${Math.round(megabytes)} MB ${command}`).join('\n'))
    const together = weights.reduce((sum, { megabytes }) => sum + megabytes, NPM_MB)
    measured(`Memory of the demo, ${NPM_MB} MB of it for npm`, Math.round(together), TOGETHER_MB, 'MB')
  },
)

async function lookAround(): Promise<void> {
  const vasp = `http://localhost:${place.PORT}`
  const gateway = `http://localhost:${place.GATEWAY_PORT}`
  const shop = `http://localhost:${place.APP_PORT}`
  const southbank = `http://localhost:${place.SOUTHBANK_PORT}`
  const user = { username: 'alice', password: 'sandbox' }
  const Cookie = await signIn({ vaspOrigin: vasp, instance: 'weighbank', ...user })
  const there = await signIn({ vaspOrigin: southbank, instance: 'southbank', ...user })
  const own = ['', '/wallets', '/wallets/USD', '/wallets/receive', '/wallets/send', '/connections', '/openapi.json']
  for (let round = 0; round < 5; round++) {
    for (const path of own) await look(`${vasp}${path}`, { Cookie })
    for (const path of own) await look(`${southbank}${path}`, { Cookie: there })
    for (const url of [`${vasp}/login`, gateway, `${gateway}/login`, shop, `${shop}/wallet`]) await look(url)
  }
}

async function look(url: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  expect(response.status, url).toBe(200)
}

test('The second start of the demo', { tag: MEASURED }, async () => {
  demo?.child.kill('SIGINT')
  await demo?.code
  measured('Second start of the demo', await start(), SECOND_START_MS)
  if (process.platform !== 'linux') return
  const cpuMs = weightsBelow(demo?.child.pid ?? 0).reduce((sum, { cpuSeconds }) => sum + cpuSeconds * 1_000, 0)
  const costs = Math.round((cpuMs / (await databaseCpuMs())) * 100) / 100
  measured('CPU of the second start', costs, SECOND_START_COSTS, 'empty embedded databases')
})
