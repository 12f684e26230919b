import type { DemoProcess } from './demo-processes'
import { processLogPath } from './process-log'
import {
  STOP_PATIENCE_MS,
  epitaph,
  hasEnded,
  startProcess,
  stopProcess,
  untilAnswers,
  type RunningProcess,
} from './processes'

/** The first start creates the embedded database, which takes up to 20 s of CPU. */
const FIRST_START_MS = 120_000
/** A terminal signals npm and this process, and npm signals this process again. */
const SAME_WORD_MS = 1_000
const PARENT_CHECK_MS = 500
/** Without pending payments everything has ended by then. */
const SAY_WHY_AFTER_MS = 3_000

/** The processes that a command starts and stops together. */
export interface ProcessGroup {
  /** Starts them and waits until each is ready. */
  start(processes: readonly DemoProcess[], dataDir: string): Promise<void>
  /** From now on, the end of one process stops the others and this one. */
  endTogether(): void
  /** Stops every process and ends this one: with code 0, or with code 1 and the reason. */
  stop(reason?: string): Promise<void>
}

/**
 * Ctrl-C, a stop signal and the end of npm stop the group. `command` starts it again.
 */
export function makeProcessGroup(command: string, say: (line: string) => void): ProcessGroup {
  const running: RunningProcess[] = []
  let stopping = false
  let toldAtMs = -SAME_WORD_MS

  async function startAndWait({ name, args, env, aliveUrl, says }: DemoProcess, dataDir: string): Promise<void> {
    const output = { show: showProgress, logFile: processLogPath(dataDir, name) }
    const started = startProcess(name, args, { ...process.env, ...env }, output)
    running.push(started)
    await untilAnswers(started, aliveUrl, FIRST_START_MS, says)
  }

  /** While the server creates the database, its log lines are shown as they arrive. */
  function showProgress(chunk: string): void {
    for (const line of chunk.split('\n')) {
      const message = /"msg":"([^"]*database[^"]*)"/i.exec(line)?.[1]
      if (message !== undefined) say(message)
    }
  }

  async function stop(reason?: string): Promise<void> {
    if (stopping) return
    stopping = true
    if (reason !== undefined) console.error(`\n${reason}`)
    if (running.some((each) => !hasEnded(each))) console.log('\n  Stopping …')
    const why = setTimeout(sayWhatIsWaitedFor, SAY_WHY_AFTER_MS)
    await Promise.all(running.map((each) => stopProcess(each)))
    clearTimeout(why)
    process.exit(reason === undefined ? 0 : 1)
  }

  function sayWhatIsWaitedFor(): void {
    const names = running.filter((each) => !hasEnded(each)).map(({ name }) => name)
    if (names.length > 0)
      say(
        `Waiting up to ${STOP_PATIENCE_MS / 1_000} s for payments in progress: ${names.join(', ')}. Press Ctrl-C again to stop at once; the payments continue at the next start.`,
      )
  }

  /** Pending work is left as after a crash, which loses nothing. */
  function endAtOnce(): never {
    for (const { child } of running) child.kill('SIGKILL')
    process.exit(1)
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (performance.now() - toldAtMs < SAME_WORD_MS) return
      toldAtMs = performance.now()
      if (stopping) endAtOnce()
      void stop()
    })
  endWithNpm(() => void stop())

  return {
    async start(processes, dataDir) {
      await Promise.all(processes.map((each) => startAndWait(each, dataDir)))
    },
    endTogether() {
      for (const each of running) {
        const stopRest = (): void =>
          void stop(`${epitaph(each)}\nThe other processes are stopped too. Start again: ${command}`)
        // By then its last output has been read too.
        void each.closed.then(stopRest)
      }
    },
    stop,
  }
}

/**
 * npm and its shell may end without a signal to this process. Processes that kept running would hold the folder and
 * the ports unnoticed.
 */
function endWithNpm(end: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) end()
  }, PARENT_CHECK_MS).unref()
}
