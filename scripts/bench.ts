import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedEngine, startPostgresEngine, type Engine } from '../bench/engines'
import { newIdentity, startInstance } from '../bench/instance'
import { roundTripsPerSecond, startBareHttp, verifyPerSecond } from '../bench/limits'
import { startLoader } from '../bench/loader'
import { median, most, type Bench } from '../bench/measure'
import { makeMixedWorld } from '../bench/mixed-world'
import { overload } from '../bench/overload'
import { makeCast } from '../bench/people'
import { rawRequest } from '../bench/raw-connection'
import { ratioTable, ratiosOf, reportOf, type Results } from '../bench/report'
import { reads } from '../bench/requests'
import { runEngine, type EngineResult, type Scale } from '../bench/run-engine'
import { describeThisRun } from '../bench/this-run'
import { runUma } from '../bench/uma'
import { umaRatios, umaSection } from '../bench/uma-report'
import { ensureBuild } from '../sandbox/build'
import { freePort } from '../test/free-port'
import { numberOption, oneOf, readOptions } from './options'

// `npm run bench`: measures the production build and writes docs/benchmarks.md. `-- --seconds N` a load, `-- --rounds N` of
// what takes turns, `-- --only postgres|embedded`, `-- --part uma`; a run with any of these goes to the file of `--out`, or to
// .cache/benchmarks.md: what is published was measured at length.
const number = { type: 'string' } as const
const options = readOptions(() => {
  const { values } = parseArgs({
    options: { seconds: number, rounds: number, only: number, part: number, storm: number, rows: number, out: number },
  })
  const { seconds = '6', rounds = '3', storm = '60', rows = '1000000', out } = values
  return {
    durationMs: 1000 * numberOption('seconds', seconds, { least: 0.1 }),
    rounds: numberOption('rounds', rounds, { least: 1, whole: true }),
    stormSeconds: numberOption('storm', storm, { least: 1 }),
    rows: numberOption('rows', rows, { least: 1_000, whole: true }),
    only: oneOf('only', values.only, ['postgres', 'embedded']),
    part: oneOf('part', values.part, ['uma']),
    out,
    isWhole: Object.keys(values).length === 0,
  }
})
const scale: Scale = {
  durationMs: options.durationMs,
  rounds: options.rounds,
  historyRows: [1_000, options.rows],
}
const REPORT = join('docs', 'benchmarks.md')
const say = (line: string): void => console.log(line)

ensureBuild(say)
const loader = startLoader()
try {
  if (options.part === 'uma') writePart(await measureUma())
  else await measureWhole()
} finally {
  loader.stop()
}

async function measureWhole(): Promise<void> {
  const engines: Engine[] = []
  if (options.only !== 'embedded') engines.push((await startPostgresEngine()) ?? missingPostgres())
  if (options.only !== 'postgres') engines.push(await startEmbeddedEngine())
  const [first] = engines
  if (first === undefined) throw new Error('there is an engine')
  const limits = await measureLimits(await first.sibling())
  const results: EngineResult[] = []
  for (const engine of engines) results.push(await runEngine(engine, benchOf(engine), scale, say))
  write({
    ...describeThisRun('bench'),
    limits,
    engines: results,
    uma: await measureUma(),
    overload: await measureOverload(),
  })
}

function benchOf(engine: Engine): Bench {
  return { loader, durationMs: scale.durationMs, databaseCpuSeconds: () => engine.cpuSeconds() }
}

/** The bare servers, in turn with the cheapest call that asks the database. */
async function measureLimits(engine: Engine): Promise<Results['limits']> {
  say('Limits …')
  const port = await freePort()
  const identity = newIdentity(port)
  const { people } = await engine.withDatabase((db) => makeCast(db, identity, 50))
  const bare = await startBareHttp()
  const server = await startInstance(identity, port, engine.env)
  try {
    const rate = async (what: string, at: number, requests: readonly string[]): Promise<number> =>
      (await most(benchOf(engine), { what, ports: [at], pids: [], requests })).rate
    const balance = (): Promise<number> => rate('balance', port, reads(people, port, '/balance'))
    await balance()
    const [http, ours]: [number[], number[]] = [[], []]
    for (let round = 0; round < scale.rounds; round++) {
      http.push(await rate('bare http', bare.port, [rawRequest('GET', '/', { port: bare.port })]))
      ours.push(await balance())
      say(`  bare node:http ${http.at(-1)?.toFixed(0)}/s, GET /balance ${ours.at(-1)?.toFixed(0)}/s`)
    }
    return {
      bareHttp: median(http),
      balance: median(ours),
      bareRoute: await rate('bare route', port, [rawRequest('GET', '/-/alive', { port })]),
      roundTrip: engine.url === undefined ? undefined : await roundTripsPerSecond(engine.url, scale.durationMs / 2),
      verify: await verifyPerSecond(people[0]?.token ?? '', identity.pair.publicPem, scale.durationMs / 2),
    }
  } finally {
    bare.stop()
    await server.stop()
    await engine.stop()
  }
}

/** On PostgreSQL, where there is one in this run. */
async function measureUma(): Promise<Results['uma']> {
  const engine = options.only === 'embedded' ? undefined : await startPostgresEngine()
  return engine === undefined ? undefined : runUma(engine, benchOf(engine), scale, say)
}

/** On PostgreSQL, where there is one in this run. */
async function measureOverload(): Promise<Results['overload']> {
  const engine = options.only === 'embedded' ? undefined : await startPostgresEngine()
  if (engine === undefined) return undefined
  say(`Overload for ${options.stormSeconds} s …`)
  try {
    const world = await makeMixedWorld(engine, 40_000)
    const server = await world.start()
    try {
      const result = await overload(loader, world, server, options.stormSeconds)
      for (const fault of result.faults) say(`  ${fault}`)
      return result
    } finally {
      await server.stop()
      await world.stop()
    }
  } finally {
    await engine.stop()
  }
}

function write(results: Results): void {
  const file = options.out ?? (options.isWhole ? REPORT : join('.cache', 'benchmarks.md'))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, reportOf(results))
  if (file === REPORT) showRatios(ratioTable(ratiosOf(results)))
  spawnSync(process.execPath, [
    'node_modules/prettier/bin/prettier.cjs',
    '--write',
    '--log-level',
    'warn',
    file,
    'README.md',
  ])
  say(`\n${readFileSync(file, 'utf8')}\nWritten to ${file}.`)
}

function writePart(uma: Results['uma']): void {
  if (uma === undefined) throw new Error('--part uma needs PostgreSQL')
  const file = options.out ?? join('.cache', 'benchmarks-uma.md')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, [ratioTable(umaRatios(uma)), '', ...umaSection(uma)].join('\n'))
  say(`\n${readFileSync(file, 'utf8')}\nWritten to ${file}.`)
}

/** The README has the table of the ratios too. */
function showRatios(ratios: string): void {
  const readme = readFileSync('README.md', 'utf8')
  const block = /(<!-- ratios -->)[^]*(<!-- \/ratios -->)/
  writeFileSync(
    'README.md',
    readme.replace(block, (_, open: string, close: string) => `${open}\n\n${ratios}\n\n${close}`),
  )
}

function missingPostgres(): never {
  throw new Error('The bench needs PostgreSQL: install one (Debian: postgresql), which it starts for itself.')
}
