import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { text as readText } from 'node:stream/consumers'
import { createWatch, TIED_TO_PARENT, type Watch } from '../../scripts/progress.mjs'
import { openProcessLog } from './process-log'

export interface RunningProcess {
  readonly name: string
  readonly child: ChildProcess
  /** The last lines of its output, formatted for readers. */
  readonly lastLines: () => string
  /** Resolves when it has ended and all its output has been read. */
  readonly closed: Promise<void>
  /** The file that keeps its output, if any. */
  readonly logFile: string | undefined
  /** What its start is doing, as it reported over its channel. */
  readonly step?: () => Step
}

export interface Step {
  readonly text: string
  readonly startedAtMs: number
}

const KEPT_CHARACTERS = 4_000
const SHOWN_LINES = 12

/**
 * Saves memory, because several processes share one computer: a small young generation, compact code, and one background
 * thread for compiling. A thread does not give back the memory that it needed once.
 */
const SMALL = ['--max-semi-space-size=1', '--optimize-for-size', '--v8-pool-size=1']
/**
 * The same for glibc, which otherwise keeps a heap for each thread. Setting the trim threshold, here to its default in
 * bytes, stops glibc from raising it: memory that only startup needed is returned to the system.
 */
const SMALL_ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * Starts a process of the sandbox, which ends when this process does. Its output is kept for error messages, also in a
 * file where one is given, and not shown.
 */
export function startProcess(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { logFile, cwd }: { readonly logFile?: string; readonly cwd?: string } = {},
): RunningProcess {
  const child = spawn(process.execPath, [...SMALL, '--import', TIED_TO_PARENT, ...args], {
    env: { ...SMALL_ENVIRONMENT, ...env, NEXT_TELEMETRY_DISABLED: '1' },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let kept = ''
  const log = logFile === undefined ? undefined : openProcessLog(logFile)
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      kept = lastWholeLines(kept + chunk)
    })
    if (log !== undefined) createInterface({ input: stream }).on('line', log)
  }
  let step = newStep('Starting')
  child.on('message', (message) => (step = stepOf(message) ?? step))
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return { name, child, lastLines: () => readable(kept), closed, logFile, step: () => step }
}

function newStep(text: string): Step {
  return { text, startedAtMs: performance.now() }
}

/** The message of `server.js` about a step of its start. */
function stepOf(message: unknown): Step | undefined {
  const text = (message as { step?: unknown } | null)?.step
  return typeof text === 'string' ? newStep(text) : undefined
}

function lastWholeLines(text: string): string {
  return text.length <= KEPT_CHARACTERS ? text : text.slice(text.indexOf('\n', text.length - KEPT_CHARACTERS) + 1)
}

/** The part of a server's output for readers: the messages of its JSON log, and any other line. */
export function readable(output: string): string {
  return output
    .split('\n')
    .flatMap((line) => messageOf(line.trimEnd()))
    .slice(-SHOWN_LINES)
    .join('\n')
}

/** Nothing for the line of a request and for an empty line. The steps of a start are shown in place of its message. */
function messageOf(line: string): string[] {
  if (!line.startsWith('{') || !line.endsWith('}')) return line === '' ? [] : [line]
  try {
    const { msg, path, step, error } = JSON.parse(line) as Record<'msg' | 'path' | 'step', unknown> & {
      error?: { message?: unknown }
    }
    if (typeof msg !== 'string' || typeof path === 'string') return []
    if (msg === 'starting' && typeof step === 'string') return [step]
    return [typeof error?.message === 'string' ? `${msg}: ${error.message}` : msg]
  } catch {
    return [line]
  }
}

export function hasEnded({ child }: Pick<RunningProcess, 'child'>): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** How a process ended and its last output, to explain why everything stopped. */
export function exitMessage(running: RunningProcess): string {
  const { exitCode, signalCode } = running.child
  const how = signalCode === null ? `ended with code ${exitCode}` : `was ended by ${signalCode}`
  const last = running.lastLines().split('\n').at(-1) ?? ''
  return `The ${running.name} ${how}${whereAllIs(running)}.${last === '' ? '' : ` Its last message: ${last}`}`
}

function whereAllIs({ logFile }: RunningProcess): string {
  return logFile === undefined ? '' : `; its full output is in ${logFile}`
}

/** Which answer means that a process is ready, and when it is given up. */
export interface ReadyWhen {
  readonly says?: RegExp | undefined
  readonly watch?: Watch
}

/**
 * Waits until the URL answers 200, with the given text if any, for as long as the process works. Rejects at once when the
 * process ends first, with its last output. Kills a process that stands still, and rejects with its step.
 */
export async function untilAnswers(
  running: RunningProcess,
  url: string,
  { says, watch = createWatch() }: ReadyWhen = {},
): Promise<void> {
  const { name, child, step } = running
  for (;;) {
    const answer = await answerOf(url)
    // Checked after the answer: another program may answer where ours could not listen.
    if (hasEnded(running)) {
      await running.closed
      throw new Error(`The ${name} did not start${whereAllIs(running)}:\n${running.lastLines()}`)
    }
    if (answer?.status === 200 && (says?.test(answer.text) ?? true)) return
    const text = step?.().text ?? 'Starting'
    // Answering takes work too, so once the process answers, only another answer is a sign of work.
    const seen = answer === undefined ? { pid: child.pid, sign: text } : { pid: undefined, sign: answer.text }
    if (watch.standsStill(seen)) {
      const state =
        answer === undefined
          ? `The ${name} stands still in the step "${text}": ${watch.describe()}`
          : `The ${name} is not ready and nothing changes. ${url} answers ${answer.status}: ${answer.text.slice(0, SHOWN_ANSWER)}`
      child.kill('SIGKILL')
      throw new Error(`${state}${whereAllIs(running)}.\n${running.lastLines()}\n${WHY_STILL}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const SHOWN_ANSWER = 300
const WHY_STILL =
  'A slow start is never given up, so another program suspended or blocks this process, or this is a bug of the sandbox. Start again: the start continues where this one stopped. If it stops there again, report a bug with the full output.'

/** Undefined without an answer. Uses `node:http`, because `fetch` would add 5 MB to a process that fetches nothing else. */
async function answerOf(url: string): Promise<{ status: number | undefined; text: string } | undefined> {
  try {
    const request = get(url, { signal: AbortSignal.timeout(2_000), agent: false })
    // An error after the first byte of the answer has no other listener.
    request.on('error', () => undefined)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return { status: response.statusCode, text: await readText(response) }
  } catch {
    return undefined
  }
}

/** Longer than a VASP takes to stop: it waits up to 30 seconds for pending payments and then closes its database. */
export const STOP_PATIENCE_MS = 40_000

/** Asks the process to stop and waits; kills it when it does not. */
export async function stopProcess(
  running: Pick<RunningProcess, 'child'>,
  patienceMs = STOP_PATIENCE_MS,
): Promise<void> {
  const { child } = running
  if (hasEnded(running)) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  await ended
  clearTimeout(timer)
}
