import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { holderOfLock, lockFolder } from '../lib/platform/db/lock'

export interface DemoLock {
  /** Stores the address of this demo, for the message that a second demo prints. */
  answersAt(origin: string): void
}

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
 * other's half-started server on its port and stop.
 * @throws DemoIsRunning
 */
export async function lockDemo(dataDir: string): Promise<DemoLock> {
  const folder = join(dataDir, 'demo')
  const note = join(folder, 'origin')
  try {
    await lockFolder(folder)
  } catch (error) {
    const holder = holderOfLock(error)
    if (holder === undefined) throw error
    throw new DemoIsRunning(holder, existsSync(note) ? readFileSync(note, 'utf8').trim() : undefined)
  }
  rmSync(note, { force: true })
  return { answersAt: (origin) => writeFileSync(note, `${origin}\n`) }
}
