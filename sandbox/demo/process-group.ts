import { sayProgress, soFar } from '../../scripts/progress.mjs'
import { processLogPath } from '../shared/process-log'
import {
  exitMessage,
  hasEnded,
  startProcess,
  STOP_PATIENCE_MS,
  stopProcess,
  untilAnswers,
  type RunningProcess,
} from '../shared/processes'
import type { DemoProcess } from './demo-processes'

/** A terminal signals npm and this process, and npm signals this process again. */
const SAME_WORD_MS = 1_000
const PARENT_CHECK_MS = 500
/** Without pending payments everything has ended by then. */
const SAY_WHY_AFTER_MS = 3_000

/** The processes that a command starts and stops together. */
export interface ProcessGroup {
  /** Starts them and waits until each is ready, for as long as it works. Says every ten seconds what is waited for. */
  start(processes: readonly DemoProcess[], dataDir: string): Promise<void>
  /** Takes over a process that was started elsewhere: it is stopped with the others. */
  own(process: GroupMember): void
  /** From now on, `record` receives what the group does. */
  keepRecord(record: GroupRecord): void
  /** From now on, the end of one process stops the others and this one. */
  endTogether(): void
  /** Called once all its processes have ended, before this one ends. */
  thenStop(afterwards: () => Promise<void>): void
  /** Stops every process and ends this one: with code 0, or with code 1 and the reason. */
  stop(reason?: string): Promise<void>
}

type GroupMember = Pick<RunningProcess, 'name' | 'child'>

export interface GroupRecord {
  started(name: string, pid: number | undefined): void
  stopping(): void
}

/**
 * Ctrl-C, a stop signal and the end of npm stop the group. `command` starts it again.
 */
export function makeProcessGroup(command: string, say: (line: string) => void): ProcessGroup {
  const members: GroupMember[] = []
  const running: RunningProcess[] = []
  const last: (() => Promise<void>)[] = []
  let record: GroupRecord | undefined
  let stopping = false
  let toldAtMs = -SAME_WORD_MS

  function own(member: GroupMember): void {
    members.push(member)
    record?.started(member.name, member.child.pid)
  }

  async function start(processes: readonly DemoProcess[], dataDir: string): Promise<void> {
    const waitedFor = new Set<RunningProcess>()
    const quiet = sayProgress(say, () => stepLines([...waitedFor], performance.now()))
    const startAndWait = async ({ name, args, env, aliveUrl, says }: DemoProcess): Promise<void> => {
      const started = startProcess(name, args, { ...process.env, ...env }, { logFile: processLogPath(dataDir, name) })
      running.push(started)
      own(started)
      waitedFor.add(started)
      await untilAnswers(started, aliveUrl, { says })
      waitedFor.delete(started)
    }
    try {
      await Promise.all(processes.map(startAndWait))
    } finally {
      quiet()
    }
  }

  async function stop(reason?: string, because = ''): Promise<void> {
    if (stopping) return
    stopping = true
    record?.stopping()
    if (reason !== undefined) console.error(`\n${reason}`)
    if (members.some((each) => !hasEnded(each))) console.log(`\n  Stopping${because} …`)
    const why = setTimeout(sayWhatIsWaitedFor, SAY_WHY_AFTER_MS)
    await Promise.all(members.map((each) => stopProcess(each)))
    clearTimeout(why)
    await Promise.all(last.map((each) => each()))
    process.exit(reason === undefined ? 0 : 1)
  }

  function sayWhatIsWaitedFor(): void {
    const names = members.filter((each) => !hasEnded(each)).map(({ name }) => name)
    if (names.length > 0)
      say(
        `Waiting up to ${STOP_PATIENCE_MS / 1_000} s for payments in progress: ${names.join(', ')}. Press Ctrl-C again to stop at once; the payments continue at the next start.`,
      )
  }

  /** Pending work is left as after a crash, which loses nothing. */
  function endAtOnce(): never {
    for (const { child } of members) child.kill('SIGKILL')
    process.exit(1)
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (performance.now() - toldAtMs < SAME_WORD_MS) return
      toldAtMs = performance.now()
      if (stopping) endAtOnce()
      void stop(undefined, signal === 'SIGTERM' ? ' on SIGTERM' : '')
    })
  endWithNpm(() => void stop(undefined, ', because npm has ended'))

  return {
    start,
    own,
    keepRecord(given) {
      record = given
    },
    endTogether() {
      for (const each of running) {
        const stopRest = (): void =>
          void stop(`${exitMessage(each)}\nThe other processes are stopped too. Start again: ${command}`)
        // By then its last output has been read too.
        void each.closed.then(stopRest)
      }
    },
    thenStop: (afterwards) => void last.push(afterwards),
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

/** "Creating the embedded database, 70 s so far (VASP, Southbank)": one line for each step. */
export function stepLines(waitedFor: readonly Pick<RunningProcess, 'name' | 'step'>[], nowMs: number): string[] {
  const steps = waitedFor.flatMap(({ name, step }) => (step === undefined ? [] : [{ name, ...step() }]))
  return [...new Set(steps.map(({ text }) => text))].map((text) => {
    const inStep = steps.filter((each) => each.text === text)
    const longestMs = Math.max(...inStep.map(({ startedAtMs }) => nowMs - startedAtMs))
    return `${soFar(text, longestMs)} (${inStep.map(({ name }) => name).join(', ')})`
  })
}
