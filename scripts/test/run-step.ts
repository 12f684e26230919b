import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { GIVE_UP_AT_MS, PROGRESS_FILE, REPORT_FILE, type RunReport } from '../../test/runners/run-report'
import type { Step } from './step'

export interface Outcome {
  readonly passed: number
  readonly skipped: number
  readonly failures: readonly string[]
  /** The slowest files, with their milliseconds. */
  readonly slowest: RunReport['slowest']
  /** Output that explains the failures. */
  readonly details: string
}

export interface RunOptions {
  readonly giveUpAtMs: number
  /** Ends the command. */
  readonly signal: AbortSignal
  /** Besides the step's own. */
  readonly env?: NodeJS.Dict<string>
  /** Called each second with what the command reports about its progress. */
  readonly onProgress: (text: string) => void
}

const FOLDER = join('.cache', 'test')
const POLL_MS = 1_000
/** After its time limit, a runner has this much longer to write its report. */
const REPORT_PATIENCE_MS = 60_000
/** A command that was asked to end is killed after this time. */
const STOP_PATIENCE_MS = 10_000
const DETAIL_LINES = 300
/** Where the runners begin to describe failures: vitest and Playwright. */
const FIRST_FAILURE = /^(⎯+ (Failed|Unhandled)| {2}1\) )/m

/** Runs a command whose output goes to a log file, and reads what it reports. */
export async function runStep(name: string, step: Step, options: RunOptions): Promise<Outcome> {
  const log = join(FOLDER, `${name}.log`)
  const report = join(FOLDER, `${name}.json`)
  const progress = join(FOLDER, `${name}.progress`)
  mkdirSync(dirname(log), { recursive: true })
  for (const file of [report, progress]) rmSync(file, { force: true })
  const isWell = await runToEnd(step, log, options, {
    ...options.env,
    [REPORT_FILE]: report,
    [PROGRESS_FILE]: progress,
    [GIVE_UP_AT_MS]: String(options.giveUpAtMs),
    PLAYWRIGHT_LONGEST_MS: String(Math.max(1, options.giveUpAtMs - Date.now())),
  })
  return outcomeOf(isWell, step.writesReport ? readReport(report) : undefined, step, readText(log))
}

async function runToEnd(
  step: Step,
  log: string,
  { giveUpAtMs, signal, onProgress }: RunOptions,
  files: NodeJS.Dict<string>,
): Promise<boolean> {
  const output = openSync(log, 'w')
  const child = spawn(step.node ?? process.execPath, step.args, {
    stdio: ['ignore', output, output],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...step.env, ...files },
  })
  closeSync(output)
  const kill = (): void => void child.kill('SIGKILL')
  const end = (): void => {
    child.kill('SIGTERM')
    setTimeout(kill, STOP_PATIENCE_MS).unref()
  }
  const endAt = giveUpAtMs + (step.writesReport ? REPORT_PATIENCE_MS : 0)
  const tooLate = setTimeout(kill, endAt - Date.now())
  const poll = setInterval(() => onProgress(readText(files[PROGRESS_FILE] ?? '')), POLL_MS)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve(code === 0))
    })
  } finally {
    signal.removeEventListener('abort', end)
    clearTimeout(tooLate)
    clearInterval(poll)
  }
}

/** A command that failed has at least one failure, even when its report names none or is missing. */
export function outcomeOf(isWell: boolean, report: RunReport | undefined, step: Step, log: string): Outcome {
  const command = step.args.slice(0, 2).join(' ')
  const { passed, skipped, failures, slowest } = report ?? {
    passed: isWell && !step.writesReport ? 1 : 0,
    skipped: 0,
    failures: isWell && step.writesReport ? [`${command} wrote no report`] : [],
    slowest: [],
  }
  const all = isWell || failures.length > 0 ? failures : [`${command} failed`]
  return { passed, skipped, failures: all, slowest, details: all.length > 0 ? detailsOf(log) : '' }
}

/** The part of a log that describes failures. */
export function detailsOf(log: string): string {
  const text = stripVTControlCharacters(log)
  const from = Math.max(0, text.search(FIRST_FAILURE))
  const lines = text.slice(from).trim().split('\n')
  return lines.length <= DETAIL_LINES ? lines.join('\n') : [...lines.slice(0, DETAIL_LINES), '…'].join('\n')
}

function readReport(file: string): RunReport | undefined {
  const text = readText(file)
  return text === '' ? undefined : (JSON.parse(text) as RunReport)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
