import { spawn, type ChildProcess } from 'node:child_process'

export interface RunningProcess {
  readonly name: string
  readonly child: ChildProcess
  /** The last lines it wrote, for the message when it does not start. */
  readonly lastLines: () => string
}

const KEPT_CHARACTERS = 4_000

/** Starts a process of the sandbox; its output is kept for errors and not shown, unless `show` says otherwise. */
export function startProcess(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  show?: (chunk: string) => void,
): RunningProcess {
  const child = spawn(process.execPath, args, {
    env: { ...env, NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let kept = ''
  const keep = (chunk: Buffer): void => {
    kept = (kept + chunk.toString()).slice(-KEPT_CHARACTERS)
    show?.(chunk.toString())
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  return { name, child, lastLines: () => kept.trim() }
}

/** Waits until the URL answers 200. Rejects at once when the process ends first, with what it said. */
export async function untilAnswers(running: RunningProcess, url: string, patienceMs: number): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline) {
    if (running.child.exitCode !== null || running.child.signalCode !== null)
      throw new Error(`${running.name} did not start:\n${running.lastLines()}`)
    if (await answers(url)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${running.name} did not answer at ${url} within ${patienceMs / 1000} s:\n${running.lastLines()}`)
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).status === 200
  } catch {
    return false
  }
}

/** Asks the process to stop and waits; ends it the hard way when it does not. */
export async function stopProcess(running: RunningProcess, patienceMs = 12_000): Promise<void> {
  const { child } = running
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  await ended
  clearTimeout(timer)
}
