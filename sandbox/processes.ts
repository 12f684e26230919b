import { spawn, type ChildProcess } from 'node:child_process'

export interface RunningProcess {
  readonly name: string
  readonly child: ChildProcess
  /** The last lines it wrote, as people read them. */
  readonly lastLines: () => string
}

const KEPT_CHARACTERS = 4_000
const SHOWN_LINES = 12
const TIED_TO_PARENT = new URL('./tied-to-parent.mjs', import.meta.url).href

/**
 * Starts a process of the sandbox, which ends when this one does. Its output is kept for errors and not shown, unless
 * `show` says otherwise.
 */
export function startProcess(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  show?: (chunk: string) => void,
): RunningProcess {
  const child = spawn(process.execPath, ['--import', TIED_TO_PARENT, ...args], {
    env: { ...env, NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let kept = ''
  const keep = (chunk: Buffer): void => {
    kept = lastWholeLines(kept + chunk.toString())
    show?.(chunk.toString())
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  return { name, child, lastLines: () => readable(kept) }
}

function lastWholeLines(text: string): string {
  return text.length <= KEPT_CHARACTERS ? text : text.slice(text.indexOf('\n', text.length - KEPT_CHARACTERS) + 1)
}

/** What a person reads in a server's output: the messages of its log, which is JSON for machines, and any other line. */
export function readable(output: string): string {
  return output
    .split('\n')
    .flatMap((line) => messageOf(line.trimEnd()))
    .slice(-SHOWN_LINES)
    .join('\n')
}

/** None for a request's line and for an empty one. */
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

/** How a process ended and what it said last, for the person who wants to know why everything stopped. */
export function epitaph(running: RunningProcess): string {
  const { exitCode, signalCode } = running.child
  const how = signalCode === null ? `ended with code ${exitCode}` : `was ended by ${signalCode}`
  const last = running.lastLines().split('\n').at(-1) ?? ''
  return `The ${running.name} ${how}.${last === '' ? '' : ` Its last message: ${last}`}`
}

/**
 * Waits until the URL answers 200, with the text that is asked for where one is. Rejects at once when the process ends
 * first, with what it said.
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
    // Looked at after the answer: another program may answer where ours could not listen.
    if (hasEnded(running)) throw new Error(`The ${running.name} did not start:\n${running.lastLines()}`)
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`The ${running.name} did not answer at ${url} within ${patienceMs / 1000} s:\n${running.lastLines()}`)
}

async function answers(url: string, says: RegExp | undefined): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    const text = await response.text()
    return response.status === 200 && (says?.test(text) ?? true)
  } catch {
    return false
  }
}

/** Asks the process to stop and waits; ends it the hard way when it does not. */
export async function stopProcess(running: RunningProcess, patienceMs = 12_000): Promise<void> {
  const { child } = running
  if (hasEnded(running)) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  await ended
  clearTimeout(timer)
}
