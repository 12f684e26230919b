import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startBusyLoops } from './busy-loops'
import { REPORT, type Command } from './runners'
import type { Stage } from './stages'
import { countsText, type StageResult } from './summary'

/** A command that was asked to end is killed after this time. */
const STOP_PATIENCE_MS = 15_000
/** A process that a command left behind may hold its output open for this long. */
const OUTPUT_PATIENCE_MS = 2_000
/** Nothing listens there, so that a test that installs packages fails on every machine, whatever is in npm's cache. */
const NO_REGISTRY = { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' }
/** How vitest and Playwright begin the description of a failure. */
const FAILURE = /^(?: FAIL | {2}\d+\) )/

/**
 * Runs the stages one after another. Those that had not started at its end, or at a failure of a repeated file, have no
 * result. The output of each stage goes to `.cache/test/NAME.log` as well.
 * @param ends An interrupt or the time limit.
 */
export async function runStages(stages: readonly Stage[], ends: AbortSignal) {
  const results: StageResult[] = []
  for (const [index, stage] of stages.entries()) {
    if (ends.aborted || (stage.repeat !== undefined && results.some(({ failures }) => failures.length > 0))) break
    const title = `[${index + 1}/${stages.length}] ${stage.name}`
    process.stdout.write(stage.seconds === undefined ? `${title} …\n` : `${title} · about ${stage.seconds} s …\n`)
    const startedAt = Date.now()
    const missing = stage.missing?.()
    const result: StageResult = { name: stage.name, seconds: 0, passed: 0, skipped: 0, failures: [], missing }
    results.push(result)
    const good = missing === undefined ? await runStage(stage, result, ends) : (result.skipped = 1)
    const said = missing ?? countsText(result.passed, result.failures.length, result.skipped)
    const repeats = stage.repeat === undefined ? '' : `${good} of ${stage.repeat} passed · `
    result.seconds = (Date.now() - startedAt) / 1000
    process.stdout.write(`${title} · ${repeats}${said} · ${result.seconds.toFixed(1)} s\n`)
  }
  return results
}

/** Adds to the result. Returns how many commands passed before the first failure. */
async function runStage(stage: Stage, result: StageResult, ends: AbortSignal): Promise<number> {
  const path = join('.cache', 'test', `${stage.name}.log`)
  mkdirSync(dirname(path), { recursive: true })
  const log = createWriteStream(path)
  const write = (text: string): void => [log, process.stdout].forEach((output) => void output.write(text))
  const loops = stage.repeat === undefined ? undefined : startBusyLoops()
  const given = stage.needsRegistry === 'the npm registry' ? {} : NO_REGISTRY
  let good = 0
  for (const command of Array.from({ length: stage.repeat ?? 1 }, () => stage.run).flat()) {
    await runCommand({ ...command, env: { ...given, ...command.env } }, result, ends, write)
    if (result.failures.length > 0) break
    good += 1
  }
  loops?.stop()
  log.end()
  return good
}

/** Adds to the result. A command that failed has at least one failure, even when its output names none. */
async function runCommand(command: Command, result: StageResult, ends: AbortSignal, write: (text: string) => void) {
  const { name, program, args, env, writesReport } = command
  rmSync(REPORT, { force: true })
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, NEXT_TELEMETRY_DISABLED: '1', ...env },
    shell: process.platform === 'win32' && program === 'npm',
    detached: process.platform !== 'win32',
  })
  let text = ''
  for (const output of [child.stdout, child.stderr]) {
    output
      .setEncoding('utf8')
      .on('data', write)
      .on('data', (part: string) => (text += part))
    child.once('exit', () => setTimeout(() => output.destroy(), OUTPUT_PATIENCE_MS).unref())
  }
  ends.addEventListener('abort', () => {
    child.kill('SIGINT')
    setTimeout(() => killGroup(child), STOP_PATIENCE_MS).unref()
  })
  const [code] = (await once(child, 'close').catch((error: Error) => [error.message])) as unknown[]
  if (ends.aborted) killGroup(child)
  const isWell = code === 0 && !ends.aborted
  const failures = isWell ? [] : [...new Set(text.split('\n').filter((line) => FAILURE.test(line)))]
  if (!writesReport) result.passed += isWell ? 1 : 0
  else if (existsSync(REPORT)) addCounts(result)
  else if (isWell) failures.push(`${name} wrote no report`)
  if (!isWell && failures.length === 0) failures.push(`${name} ${ends.aborted ? 'had not ended' : 'failed'}`)
  result.failures.push(...failures.map((line) => line.replace(/─.*/, '').trim()))
}

/** From the JSON report of vitest or Playwright. */
function addCounts(result: StageResult): void {
  const { stats, numPassedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(REPORT, 'utf8'))
  result.passed += stats ? stats.expected + stats.flaky : numPassedTests
  result.skipped += stats ? stats.skipped : numPendingTests + numTodoTests
}

/** A worker of vitest that spins outlives it. Windows has no groups and no such program. */
function killGroup(child: ChildProcess): void {
  spawnSync('kill', ['-KILL', '--', `-${child.pid}`])
  child.kill('SIGKILL')
}
