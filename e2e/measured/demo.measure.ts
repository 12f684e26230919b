import { test } from 'playwright/test'
import { emptyDataDir } from '../../test/databases/embedded'
import { openDemoPlace, visitPages, type DemoPlace } from '../../test/process/demo-place'
import type { Command } from '../../test/stack/command'
import { databaseCpuMs, weightsBelow } from '../../test/stack/weight'
import { MEASURED, measured } from '../support/measured'

// The time and memory that the demo takes. The build exists already; without it, the first start takes half a minute
// longer. Only a fresh clone could measure the installation of the packages and the build.

const SECOND_START_MS = 12_000
/** CPU time in units of one empty embedded database. Two VASPs, each with a database and Next, measured 2.05 to 2.16 in all. */
const SECOND_START_COSTS = 3
const TOGETHER_MB = 900
/** Added for npm and its shell: they start the demo in a terminal, but not in this test. */
const NPM_MB = 60

test.describe.configure({ mode: 'serial' })

let place: DemoPlace
let demo: Command | undefined

test.beforeAll(async () => {
  place = await openDemoPlace(emptyDataDir())
})
test.afterAll(() => place.close())

/** Milliseconds until the four lines are printed. */
async function start(): Promise<number> {
  const startedAt = performance.now()
  demo = place.demo()
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
    for (let round = 0; round < 5; round++) await visitPages(place)
    const weights = weightsBelow(demo?.child.pid ?? 0)
    console.log(weights.map(({ command, megabytes }) => `  ${Math.round(megabytes)} MB ${command}`).join('\n'))
    const together = weights.reduce((sum, { megabytes }) => sum + megabytes, NPM_MB)
    measured(`Memory of the demo, ${NPM_MB} MB of it for npm`, Math.round(together), TOGETHER_MB, 'MB')
  },
)

test('The second start of the demo', { tag: MEASURED }, async () => {
  demo?.child.kill('SIGINT')
  await demo?.code
  measured('Second start of the demo', await start(), SECOND_START_MS)
  if (process.platform !== 'linux') return
  const cpuMs = weightsBelow(demo?.child.pid ?? 0).reduce((sum, { cpuSeconds }) => sum + cpuSeconds * 1_000, 0)
  const costs = Math.round((cpuMs / (await databaseCpuMs())) * 100) / 100
  measured('CPU of the second start', costs, SECOND_START_COSTS, 'empty embedded databases')
})
