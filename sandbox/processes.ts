import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { text as readText } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
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
}

interface Output {
  readonly show?: (chunk: string) => void
  readonly logFile?: string
}

const KEPT_CHARACTERS = 4_000
const SHOWN_LINES = 12
const TIED_TO_PARENT = pathToFileURL('sandbox/tied-to-parent.mjs').href

/**
 * For several processes on one laptop instead of one on a server: a small young generation, compact code, and one
 * thread that compiles in the background, because each such thread keeps the memory that it once needed.
 */
const SMALL = ['--max-semi-space-size=1', '--optimize-for-size', '--v8-pool-size=1']
/**
 * The same for glibc, which otherwise keeps a heap for each thread. Setting the trim threshold, here to its default in
 * bytes, stops glibc from raising it: memory that only startup needed is returned to the system.
 */
const SMALL_ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * Starts a process of the sandbox, which ends when this process does. Its output is kept for error messages, also in a
 * file where one is given, and not shown, unless `show` says otherwise.
 */
export function startProcess(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { show, logFile }: Output = {},
): RunningProcess {
  const child = spawn(process.execPath, [...SMALL, '--import', TIED_TO_PARENT, ...args], {
    env: { ...SMALL_ENVIRONMENT, ...env, NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let kept = ''
  const log = logFile === undefined ? undefined : openProcessLog(logFile)
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      kept = lastWholeLines(kept + chunk)
      show?.(chunk)
    })
    if (log !== undefined) createInterface({ input: stream }).on('line', log)
  }
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return { name, child, lastLines: () => readable(kept), closed, logFile }
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

/** Undefined for the line of a request and for an empty line. */
function messageOf(line: string): string[] {
  if (!line.startsWith('{') || !line.endsWith('}')) return line === '' ? [] : [line]
  try {
    const { msg, error } = JSON.parse(line) as { msg?: unknown; error?: { message?: unknown } }
    if (typeof msg !== 'string') return []
    return [typeof error?.message === 'string' ? `${msg}: ${error.message}` : msg]
  } catch {
    return [line]
  }
}

export function hasEnded({ child }: Pick<RunningProcess, 'child'>): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** How a process ended and its last output, to explain why everything stopped. */
export function epitaph(running: RunningProcess): string {
  const { exitCode, signalCode } = running.child
  const how = signalCode === null ? `ended with code ${exitCode}` : `was ended by ${signalCode}`
  const last = running.lastLines().split('\n').at(-1) ?? ''
  return `The ${running.name} ${how}${whereAllIs(running)}.${last === '' ? '' : ` Its last message: ${last}`}`
}

function whereAllIs({ logFile }: RunningProcess): string {
  return logFile === undefined ? '' : `; its full output is in ${logFile}`
}

/**
 * Waits until the URL answers 200, with the given text if any. Rejects at once when the process ends first, with its
 * last output.
 */
export async function untilAnswers(
  running: RunningProcess,
  url: string,
  patienceMs: number,
  says?: RegExp,
): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline) {
    const answered = await answers(url, says)
    // Checked after the answer: another program may answer where ours could not listen.
    if (hasEnded(running)) {
      await running.closed
      throw new Error(`The ${running.name} did not start${whereAllIs(running)}:\n${running.lastLines()}`)
    }
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(
    `The ${running.name} did not answer at ${url} within ${patienceMs / 1000} s${whereAllIs(running)}:\n${running.lastLines()}`,
  )
}

/** Uses `node:http`, because `fetch` would add 5 MB to a process that fetches nothing else. */
async function answers(url: string, says: RegExp | undefined): Promise<boolean> {
  try {
    const asked = get(url, { signal: AbortSignal.timeout(2_000), agent: false })
    // An error after the first byte of the answer has no other listener.
    asked.on('error', () => undefined)
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const body = await readText(response)
    return response.statusCode === 200 && (says?.test(body) ?? true)
  } catch {
    return false
  }
}

/** Longer than a VASP takes to stop: it waits up to 30 seconds for pending payments and then closes its database. */
export const STOP_PATIENCE_MS = 40_000

/** Asks the process to stop and waits; kills it when it does not. */
export async function stopProcess(running: RunningProcess, patienceMs = STOP_PATIENCE_MS): Promise<void> {
  const { child } = running
  if (hasEnded(running)) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  await ended
  clearTimeout(timer)
}
