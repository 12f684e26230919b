import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { processRow, type ProcessIdentity } from '../../scripts/process-table.mjs'

const STOP_PATIENCE_MS = 20_000
const LOOK_AGAIN_MS = 50
const KEPT_CHARACTERS = 4_000

/** A program that is started, stopped, killed and started again. */
export interface Daemon {
  readonly name: string
  start(): void
  /** Waits until `answer` resolves. @throws Error with the last output when the program ends first. */
  until<Answer>(answer: () => Promise<Answer | undefined>): Promise<Answer>
  /** Asks it to end, and kills it when it does not. */
  stop(): Promise<void>
  /** As `kill -9`. */
  kill(): Promise<void>
  identity(): ProcessIdentity | undefined
}

export function makeDaemon(name: string, program: string, args: () => readonly string[]): Daemon {
  let child: ChildProcess | undefined
  let output = ''
  const hasEnded = (): boolean => child === undefined || child.exitCode !== null || child.signalCode !== null

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (child === undefined || hasEnded()) return
    const ended = once(child, 'exit')
    child.kill(signal)
    const timer = setTimeout(() => child?.kill('SIGKILL'), STOP_PATIENCE_MS)
    await ended
    clearTimeout(timer)
  }

  return {
    name,
    start() {
      output = ''
      // Detached, so that Ctrl-C in a terminal reaches it only through its owner: payments in progress end first.
      child = spawn(program, args(), { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
      child.on('error', (error) => (output += error.message))
      endWithThisProcess(child)
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-KEPT_CHARACTERS)))
    },
    async until(answer) {
      for (;;) {
        const answered = await answer().catch(() => undefined)
        if (answered !== undefined) return answered
        if (hasEnded()) throw new Error(`${name} has ended:\n${output.trim()}`)
        await sleep(LOOK_AGAIN_MS)
      }
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    identity() {
      return child?.pid === undefined || hasEnded() ? undefined : processRow(child.pid)
    },
  }
}

/** Also after `kill -9` of this process: the kernel then closes the pipe that the shell reads. */
function endWithThisProcess(child: ChildProcess): void {
  if (process.platform === 'win32' || child.pid === undefined) return
  const script = 'cat >/dev/null; kill "$0"'
  const watcher = spawn('sh', ['-c', script, String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.unref()
  child.once('exit', () => watcher.kill('SIGKILL'))
}
