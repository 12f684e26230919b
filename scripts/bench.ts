import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rowsOf, type RowPlan } from '../bench/benchmarks'
import { shotsOf, startSide, type Side } from '../bench/build'
import { checkOut } from '../bench/checkout'
import { measureRatios, memoryRatio, paymentsForRatios, SHORT_HISTORY } from '../bench/compare'
import { startEmbeddedEngine, startPostgresEngine, type Engine } from '../bench/engines'
import { besideNoEvents } from '../bench/events'
import { startCannon, startLoader } from '../bench/loader'
import { cpuMs, inTurns, type Sample } from '../bench/measure'
import { makeMixedWorld } from '../bench/mixed-fixture'
import { BENCH, parseBenchOptions, QUICK, WHOLE, type Scale } from '../bench/options'
import { overload, slownessOf, type OverloadResult } from '../bench/overload'
import { peakMb } from '../bench/process-use'
import type { Ratio } from '../bench/ratio'
import {
  comparisonReport,
  ratioOf,
  ratioTable,
  reportOf,
  rowsThatAre,
  type ComparedRow,
  type EngineReport,
  type RowResult,
} from '../bench/report'
import { median, verdictOf } from '../bench/statistics'
import { describeThisRun } from '../bench/this-run'
import { ensureBuild } from '../sandbox/demo/build'
import { readOptions } from './options'

const REPORT = join('docs', 'benchmarks.md')
const CACHED_REPORT = join('.cache', 'bench', 'report.md')
const OVERLOAD_SECONDS = 60
const OVERLOAD_REQUESTS = 40_000

const options = readOptions(BENCH, parseBenchOptions)
const scale: Scale = options.quick ? QUICK : WHOLE
const rows = rowsOf(options.quick)
const startedAt = performance.now()
const say = (line: string): void => console.log(line)
if (options.quick) say(`Quick run: ${scale.rounds} short rounds, fewer rows.`)

if (options.statements) process.exit(measureStatements())

const cannon = startCannon()
try {
  if (options.events) await measureEvents()
  else if (options.waits) await measureWaits()
  else if (options.against === undefined) await measureThisCommit()
  else await compareWith(options.against)
  say(`Took ${Math.round((performance.now() - startedAt) / 1000)} s.`)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
} finally {
  cannon.stop()
}

/** Runs as a test, because the tests collect all statements. Returns the exit code. */
function measureStatements(): number {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'bench', '--silent=false', '--reporter=dot']
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 2
}

async function compareWith(commit: string): Promise<void> {
  const before = checkOut(commit, say)
  await ensureBuild(say)
  const engines = await onEachEngine(async (engine) => {
    const compared = rows.map(({ what, callers }) => ({ what, callers, before: [] as Sample[], after: [] as Sample[] }))
    for (let done = 0; done < scale.rounds; done += scale.roundsOfAStart) {
      const supply = supplies(2 * scale.roundsOfAStart + 1)
      const sides = [await startSide(engine, before, supply), await startSide(engine, '.', supply)]
      try {
        for (const [index, row] of rows.entries()) {
          const { before: first, after: second } = await compareRow(row, sides)
          compared[index]?.before.push(...first)
          compared[index]?.after.push(...second)
          say(`  ${row.what}, ${row.callers} callers: ${medianCpu(first)} → ${medianCpu(second)} ms`)
        }
      } finally {
        for (const side of sides) await side.stop()
      }
    }
    return { title: engine.title, rows: compared }
  })
  const comparison = { commit, rounds: scale.rounds, isQuick: options.quick, engines }
  write(options.out ?? CACHED_REPORT, comparisonReport(describeThisRun('bench'), comparison))
  if (rowsThatAre('worse', comparison).length > 0) process.exitCode = 1
}

async function measureThisCommit(): Promise<void> {
  await ensureBuild(say)
  const ratios: Ratio[] = []
  const engines = await onEachEngine(async (engine): Promise<EngineReport> => {
    const isServer = engine.url !== undefined
    const side = await startSide(engine, '.', supplies(scale.rounds, isServer))
    try {
      const measured: RowResult[] = []
      for (const row of rows) {
        const [samples = []] = await measureRow(row, [side], scale.rounds)
        measured.push({ what: row.what, callers: row.callers, samples })
        say(`  ${row.what}, ${row.callers} callers: ${medianCpu(samples)} ms`)
      }
      if (isServer)
        ratios.push(
          ...(await withLoader((loader) => measureRatios(side, { cannon, loader, scale, say }, options.quick))),
        )
      return { title: engine.title, rows: measured, ...memoryOf(side, engine) }
    } finally {
      await side.stop()
    }
  })
  const storm = options.quick || options.only === 'embedded' ? undefined : await measureOverload()
  ratios.push(memoryRatio([...engines.map(({ serverMb }) => serverMb), storm?.residentMb ?? 0]))
  const isWhole = !options.quick && options.only === undefined
  const file = options.out ?? (isWhole ? REPORT : CACHED_REPORT)
  const results = { rounds: scale.rounds, isQuick: options.quick, ratios, engines, overload: storm }
  write(file, reportOf(describeThisRun('bench'), results))
}

async function measureEvents(): Promise<void> {
  await ensureBuild(say)
  const engine = (await startPostgresEngine()) ?? missingPostgres()
  say(engine.title)
  try {
    const side = await startSide(engine, '.', { payments: 0, outgoing: 0, historyRows: 0 })
    try {
      const ratios = await withLoader((loader) => besideNoEvents(side, { cannon, loader, scale, say }))
      write(options.out ?? CACHED_REPORT, `${ratioTable(ratios)}\n`)
    } finally {
      await side.stop()
    }
  } finally {
    await engine.stop()
  }
}

/** The browser tests that note what users wait for, with bounds. */
async function measureWaits(): Promise<void> {
  await ensureBuild(say)
  const args = ['--conditions=uma-auth-source', 'node_modules/playwright/cli.js', 'test', '--project=bench']
  const { status } = spawnSync(process.execPath, args, {
    env: { ...process.env, MEASURE: 'yes' },
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}

async function onEachEngine<Result>(work: (engine: Engine) => Promise<Result>): Promise<Result[]> {
  const starts = [
    ...(options.only === 'embedded' ? [] : [async () => (await startPostgresEngine()) ?? missingPostgres()]),
    ...(options.only === 'postgres' ? [] : [startEmbeddedEngine]),
  ]
  const results: Result[] = []
  for (const start of starts) {
    const engine = await start()
    say(engine.title)
    try {
      results.push(await work(engine))
    } finally {
      await engine.stop()
    }
  }
  return results
}

/** Two rows pay inside the VASP, and two pay another one. */
function supplies(rounds: number, withRatios = false) {
  const { payments, outgoing } = scale
  return {
    payments: (rounds + 1) * payments * 2 + (withRatios ? paymentsForRatios(scale) : 0),
    outgoing: (rounds + 1) * outgoing * 2,
    historyRows: SHORT_HISTORY,
  }
}

/**
 * A slower row is measured for as many rounds again, and all rounds count: by chance alone, one of 32 rows is above 1
 * in each of five rounds.
 */
async function compareRow(row: RowPlan, sides: readonly Side[]): Promise<Pick<ComparedRow, 'before' | 'after'>> {
  const [before = [], after = []] = await measureRow(row, sides, scale.roundsOfAStart)
  if (verdictOf(ratioOf({ ...row, before, after })) !== 'worse') return { before, after }
  const [moreBefore = [], moreAfter = []] = await measureRow(row, sides, scale.roundsOfAStart)
  return { before: [...before, ...moreBefore], after: [...after, ...moreAfter] }
}

async function measureRow(row: RowPlan, sides: readonly Side[], rounds: number): Promise<Sample[][]> {
  const shots = sides.map((side) => shotsOf(cannon, side, row, scale))
  const amounts: number[] = []
  for (const shot of shots) amounts.push(await shot.warmUp())
  // Both sides do the same work.
  const amount = Math.min(...amounts)
  return inTurns(
    rounds,
    shots.map((shot) => () => shot.measure(amount)),
  )
}

function memoryOf({ servers }: Side, engine: Engine): { readonly serverMb: number; readonly databaseMb: number } {
  return { serverMb: Math.max(...servers.map(({ pid }) => peakMb(pid))), databaseMb: engine.memoryMb() }
}

async function withLoader<Result>(work: (loader: ReturnType<typeof startLoader>) => Promise<Result>): Promise<Result> {
  const loader = startLoader()
  try {
    return await work(loader)
  } finally {
    loader.stop()
  }
}

async function measureOverload(): Promise<OverloadResult> {
  const engine = (await startPostgresEngine()) ?? missingPostgres()
  say(`Overload for ${OVERLOAD_SECONDS} s …`)
  try {
    const world = await makeMixedWorld(engine, OVERLOAD_REQUESTS)
    const server = await world.start()
    try {
      const result = await withLoader((loader) => overload(loader, world, server, OVERLOAD_SECONDS))
      const slowness = slownessOf(result)
      for (const fault of [...result.faults, ...slowness]) say(`  ${fault}`)
      if (slowness.length > 0) process.exitCode = 1
      return result
    } finally {
      await server.stop()
      await world.stop()
    }
  } finally {
    await engine.stop()
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  const prettier = ['node_modules/prettier/bin/prettier.cjs', '--write', '--log-level', 'warn', file]
  spawnSync(process.execPath, prettier)
  say(`\n${readFileSync(file, 'utf8')}\nWritten to ${file}.`)
}

function medianCpu(samples: readonly Sample[]): string {
  return median(samples.map(cpuMs)).toFixed(3)
}

function missingPostgres(): never {
  throw new Error('The bench needs PostgreSQL. Install it (Debian: postgresql), or use --only embedded.')
}
