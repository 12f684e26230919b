import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureInTurns, rowOn, type Scale } from '../bench/cells'
import { checkOut } from '../bench/checkout'
import { startEmbeddedEngine, startPostgresEngine, type Engine } from '../bench/engines'
import { besideLnbits, NAMES } from '../bench/lnbits'
import { startCannon, startLoader } from '../bench/loader'
import { BENCH, parseBenchOptions } from '../bench/options'
import { figureTable, introduction, isWorse, rowTable, type RowResult } from '../bench/report'
import { isChosen, LOGIN, LOGIN_USERS, ROWS } from '../bench/rows'
import { limits, periodicTasks, rest, roundTrips, starts, twoInstances, type Figure } from '../bench/sections'
import { CALLERS, startSide, type Side } from '../bench/side'
import { prepareLog } from '../bench/statements'
import { decimal, table } from '../bench/table'
import { describeThisRun } from '../bench/this-run'
import { ensureBuild } from '../sandbox/demo/build'
import { makeMixedWorld } from '../test/load/mixed-fixture'
import { overload, slownessOf } from '../test/load/overload'
import { readOptions } from './options'

const REPORT = join('docs', 'benchmarks.md')
/** A run ends by then: the rest of its rows is left out. */
const MAX_MINUTES = 40
/** A section that hangs is given up, and the run with it. */
const GIVEN_UP_MINUTES = 45
const OVERLOAD = { seconds: 30, requests: 30_000 }
/** Sections beside the rows, as `--only` names them. */
const SECTIONS = {
  limits: 'Limits',
  trips: 'Round trips between two VASPs',
  two: 'Two instances',
  rest: 'Memory and idle',
  tasks: 'Periodic tasks',
  starts: 'Start',
  overload: 'Overload',
  browser: 'Browser',
} as const
/** They start their own servers. */
const APART: readonly string[] = [SECTIONS.starts, SECTIONS.overload, SECTIONS.browser]
const WAITS = ['playwright/cli.js', 'test', '--project=bench']
const BROWSER = { tests: ['pages.measure.ts', 'live.spec.ts'], minutes: 8 }

const options = readOptions(BENCH, parseBenchOptions)
const { against, only, engine: onlyEngine, rounds, seconds } = options
const say = (line: string): void => console.log(line)
const startedAt = performance.now()
const parts: string[] = []
let isTooBad = false
// The children end with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

if (options.statements)
  process.exit(runTool(['vitest/vitest.mjs', 'run', '--project=bench', '--silent=false', '--reporter=dot']).status)
if (options.waits) process.exit(await measureWaits())

const givenUp = (): void => {
  finish(false)
  console.error(`The run is given up after ${GIVEN_UP_MINUTES} minutes.`)
  process.exit(2)
}
setTimeout(givenUp, GIVEN_UP_MINUTES * 60_000).unref()
const cannon = startCannon()
const scale: Scale = { cannon, rounds, seconds, say }
const names = [...(against === undefined ? [] : [against]), 'this commit']
try {
  const roots = [...(against === undefined ? [] : [checkOut(against, say)]), '.']
  await ensureBuild(say)
  if (isChosen(SECTIONS.browser, only)) {
    parts.push(`## ${SECTIONS.browser}`)
    await section('What a user waits for, with the embedded database', measureBrowser)
  }
  let engines = 0
  if (onlyEngine !== 'embedded') engines += Number(await measureOn(await startPostgresEngine(), roots))
  if (onlyEngine !== 'postgres') engines += Number(await measureOn(await startEmbeddedEngine(), roots))
  if (isChosen(SECTIONS.overload, only) && onlyEngine !== 'embedded') await section(SECTIONS.overload, measureOverload)
  finish(only.length === 0 && onlyEngine === undefined && engines === 2)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
} finally {
  cannon.stop()
}

function finish(isWhole: boolean): void {
  const text = [...introduction(describeThisRun('bench'), rounds, seconds), ...parts].join('\n\n')
  say(`\n${parts.join('\n\n')}\n`)
  if (isWhole) {
    writeFileSync(REPORT, `${text}\n`)
    runTool(['prettier/bin/prettier.cjs', '--write', '--log-level', 'warn', REPORT])
    say(`Written to ${REPORT}.`)
  }
  say(`Took ${Math.round((performance.now() - startedAt) / 1000)} s.`)
  if (isTooBad) process.exitCode = 1
}

/** @returns whether the engine exists. */
async function measureOn(engine: Engine | undefined, roots: readonly string[]): Promise<boolean> {
  if (engine === undefined) {
    say('PostgreSQL is missing (Debian: postgresql): its rows are left out.')
    return false
  }
  const isServer = engine.url !== undefined
  say(engine.title)
  parts.push(`## ${engine.title}`)
  const sides: Side[] = []
  try {
    if (isServer) await prepareLog(engine)
    const rows = ROWS.filter(({ what }) => isChosen(what, only))
    const chosen = Object.values(SECTIONS).filter((title) => isChosen(title, only))
    const needsServers = rows.length > 0 || chosen.some((title) => !APART.includes(title))
    if (needsServers || options.beside !== undefined)
      await startSides(
        engine,
        roots,
        sides,
        rows.some(({ what }) => what === LOGIN),
      )
    if (rows.length > 0) parts.push(rowTable(await measureRows(sides), against))
    const figures = async (title: string, work: () => Promise<readonly Figure[]>): Promise<void> => {
      if (!isChosen(title, only)) return
      await section(title, async () => figureTable(await work(), names))
    }
    if (isServer) {
      await figures(SECTIONS.limits, () => limits(sides, scale))
      if (isChosen(SECTIONS.trips, only))
        for (const [index, side] of sides.entries()) await trips(names[index] ?? '', side)
      await figures(SECTIONS.two, () => twoInstances(sides, scale))
      await figures(SECTIONS.tasks, () => periodicTasks(sides, scale))
      const [ours] = sides.slice(-1)
      if (options.beside === 'lnbits' && ours !== undefined)
        await section('Beside LNbits', async () => figureTable(await besideLnbits(ours, engine, scale), NAMES))
    }
    await figures(SECTIONS.rest, () => rest(sides, scale))
    await figures(SECTIONS.starts, () => starts(engine, roots, scale))
    return true
  } finally {
    for (const side of sides) await side.stop()
    await engine.stop()
  }
}

/** All commits get the same users. A commit that cannot create users, which is the older one, has only the test users. */
async function startSides(engine: Engine, roots: readonly string[], sides: Side[], withLogin: boolean): Promise<void> {
  let temporaryUsers = withLogin ? LOGIN_USERS : CALLERS
  for (const root of roots) {
    const side = await startSide(engine, root, { temporaryUsers })
    sides.push(side)
    if (temporaryUsers === 0 || side.home.users.length === CALLERS) continue
    say(`  A commit creates no users by HTTP: ${side.home.users.length} test users make all calls.`)
    temporaryUsers = 0
  }
}

async function measureRows(sides: readonly Side[]): Promise<RowResult[]> {
  const results: RowResult[] = []
  for (const row of ROWS.filter(({ what }) => isChosen(what, only)))
    for (const callers of row.callers) {
      const measured = sides.map((side) => rowOn(side, row, callers, scale))
      const samples = isLate() ? sides.map(() => undefined) : await measureInTurns(row.what, measured, scale)
      const result = { what: row.what, callers, sides: samples }
      results.push(result)
      if (isWorse(result)) isTooBad = true
      say(rowTable([result], against).split('\n').at(-1) ?? '')
    }
  return results
}

async function section(title: string, work: () => Promise<string>): Promise<void> {
  if (isLate()) return void parts.push(`### ${title}`, 'Left out: the run took too long.')
  say(title)
  try {
    const text = await work()
    say(text)
    parts.push(`### ${title}`, text)
  } catch (error) {
    say(`  – (${error instanceof Error ? error.message : String(error)})`)
    parts.push(`### ${title}`, '–')
  }
}

function trips(name: string, side: Side): Promise<void> {
  return section(`${SECTIONS.trips}: ${name}`, async () => {
    const rows = await roundTrips(side)
    return table(
      ['Call', 'Payer + payee', 'Statements before the answer: of the payer; of the payee'],
      rows.map((row) => [row.what, row.trips, row.names]),
    )
  })
}

async function measureOverload(): Promise<string> {
  const engine = await startPostgresEngine()
  if (engine === undefined) return 'Left out: PostgreSQL is missing.'
  const loader = startLoader()
  try {
    const world = await makeMixedWorld(engine, OVERLOAD.requests)
    const server = await world.start()
    const { faults, ...result } = await overload(loader, world, server, OVERLOAD.seconds)
    await server.stop()
    await world.stop()
    const slowness = slownessOf(result)
    for (const fault of [...faults, ...slowness]) say(`  ${fault}`)
    if (faults.length + slowness.length > 0) isTooBad = true
    const figures = Object.entries(result).map(([what, value]) => [what, decimal(value)])
    return table(['Five times the sustainable rate, reads and payments 80 to 20', ''], figures)
  } finally {
    loader.stop()
    await engine.stop()
  }
}

function isLate(): boolean {
  return performance.now() - startedAt > MAX_MINUTES * 60_000
}

/** The browser tests that note what users wait for, with bounds. */
async function measureWaits(): Promise<number> {
  await ensureBuild(say)
  return runTool(WAITS).status
}

/** Of these tests, the ones of pages. Each prints its figures. */
function measureBrowser(): Promise<string> {
  const { status, output } = runTool([...WAITS, '--workers=1', '--reporter=list', ...BROWSER.tests], 'pipe')
  const figures = [...output.matchAll(/^ {2}(\S.*): ([\d.]+) ms, at most (\d+)$/gm)]
  if (figures.length === 0) throw new Error(`no figure: ${output.slice(-500)}`)
  if (status !== 0) {
    say(output.slice(-2_000))
    isTooBad = true
  }
  const rows = figures.map(([, what = '', ms = '', aim = '']) => [what, ms, aim, Number(ms) <= Number(aim)] as const)
  return Promise.resolve(
    table(
      ['Figure', 'ms', 'Aim', ''],
      rows.map(([what, ms, aim, isReached]) => [what, ms, `≤ ${aim}`, isReached ? 'reached' : 'not reached']),
    ),
  )
}

function runTool([tool = '', ...args]: readonly string[], stdout: 'inherit' | 'pipe' = 'inherit') {
  const all = ['--conditions=uma-auth-source', join('node_modules', tool), ...args]
  const ended = spawnSync(process.execPath, all, {
    encoding: 'utf8',
    env: { ...process.env, MEASURE: 'yes' },
    stdio: ['inherit', stdout, 'inherit'],
    timeout: stdout === 'pipe' ? BROWSER.minutes * 60_000 : undefined,
  })
  return { status: ended.status ?? 2, output: ended.stdout ?? '' }
}
