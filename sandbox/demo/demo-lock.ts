import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { holderOfLock, lockFolder } from '../../lib/platform/db/lock'
import { isRunning, processRow } from '../../scripts/process-table.mjs'
import { sayWaiting, untilEnded } from '../../scripts/progress.mjs'
import { STOP_PATIENCE_MS } from '../shared/processes'
import { replaceFile } from '../shared/replace-file'

/** What a demo writes about itself, for the next demo of the same data folder. */
export interface DemoLock {
  /** Stores the address of this demo, for the message that a second demo prints. */
  answersAt(origin: string): void
  /** Stores a process that the next demo must not overlap with. */
  started(name: string, pid: number | undefined): void
  /** From now on, a second demo waits instead of refusing to start. */
  stopping(): void
}

const Record = z.object({
  pid: z.number(),
  origin: z.string().optional(),
  stopping: z.boolean(),
  processes: z.array(z.object({ name: z.string(), pid: z.number(), startedAt: z.string() })),
})
type Record = z.output<typeof Record>

interface Waiting {
  readonly say: (line: string) => void
  readonly nowMs?: () => number
}

const CHECK_EVERY_MS = 100
/** A demo kills its processes after `STOP_PATIENCE_MS` and then ends. */
const GIVE_UP_AFTER_MS = 3 * STOP_PATIENCE_MS

/** Thrown when the demo of the instance is already running. */
export class DemoIsRunning extends Error {
  /** The message, without advice. */
  constructor(
    readonly holder: string,
    origin: string | undefined,
  ) {
    super(`The demo is already running (process ${holder})${origin === undefined ? '' : ` at ${origin}`}`)
  }
}

/**
 * Locks the demo of an instance before anything else. Without the lock, two demos that start at once would each find the
 * other's half-started server on its port and stop. Waits for an earlier demo that is stopping, and for the processes
 * of one that was killed: they stop by themselves, but hold their ports and the database until then.
 * @throws DemoIsRunning
 */
export async function lockDemo(dataDir: string, waiting: Waiting): Promise<DemoLock> {
  const folder = join(dataDir, 'demo')
  const path = join(folder, 'demo.json')
  await lockWhenStopped(folder, path, waiting)
  await untilProcessesEnd(readRecord(path), waiting)
  let record: Record = { pid: process.pid, stopping: false, processes: [] }
  const change = (changes: Partial<Record>): void => {
    record = { ...record, ...changes }
    try {
      replaceFile(path, JSON.stringify(record))
    } catch {
      // On a full disk a second demo refuses to start instead of waiting.
    }
  }
  change({})
  return {
    answersAt: (origin) => change({ origin }),
    started(name, pid) {
      const row = pid === undefined ? undefined : processRow(pid)
      if (row !== undefined)
        change({ processes: [...record.processes, { name, pid: row.pid, startedAt: row.startedAt }] })
    },
    stopping: () => change({ stopping: true }),
  }
}

async function lockWhenStopped(
  folder: string,
  path: string,
  { say, nowMs = () => performance.now() }: Waiting,
): Promise<void> {
  const startedAtMs = nowMs()
  let quiet: (() => void) | undefined
  try {
    for (;;) {
      try {
        await lockFolder(folder)
        return
      } catch (error) {
        const holder = holderOfLock(error)
        if (holder === undefined) throw error
        const record = readRecord(path)
        // Another process may have taken the lock since, and has not written its own record yet.
        const isOwn = record?.pid === Number(holder)
        if (!isOwn || !record.stopping) throw new DemoIsRunning(holder, isOwn ? record.origin : undefined)
        if (nowMs() - startedAtMs > GIVE_UP_AFTER_MS)
          throw new Error(
            `The demo of process ${holder} has been stopping for ${GIVE_UP_AFTER_MS / 1_000} s and is stuck. End it with \`kill -9 ${holder}\`, which loses nothing, and start again.`,
            { cause: error },
          )
        quiet ??= sayWaiting(say, `Waiting for the demo of process ${holder} to stop`)
        await sleep(CHECK_EVERY_MS)
      }
    }
  } finally {
    quiet?.()
  }
}

async function untilProcessesEnd(record: Record | undefined, { say, nowMs }: Waiting): Promise<void> {
  if (record === undefined) return
  const left = record.processes.filter(isRunning)
  await untilEnded(left, {
    what: `Waiting for the demo of process ${record.pid} to stop (${left.map(({ name }) => name).join(', ')})`,
    say,
    // As their own demo would have killed them.
    killAfterMs: STOP_PATIENCE_MS,
    ...(nowMs === undefined ? {} : { nowMs }),
  })
}

function readRecord(path: string): Record | undefined {
  try {
    return Record.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    // No demo has run here, or one of another release.
    return undefined
  }
}
