import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SystemUser } from './debian'

const PATIENCE_MS = 60_000

export interface Daemon {
  /** Also deletes its folder. */
  readonly stop: () => Promise<void>
}

/**
 * Runs a program until `stop`, and resolves when it is ready. `folder` has its files.
 * @throws Error with its output when it ends, or is not ready within a minute.
 */
export async function startDaemon(
  program: string,
  args: readonly string[],
  { folder, env, user, isReady }: DaemonOptions,
): Promise<Daemon> {
  const child = spawn(program, args, {
    ...user,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-8_000)))
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async (): Promise<void> => {
    process.off('exit', kill)
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      kill()
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
  const deadline = Date.now() + PATIENCE_MS
  while (!(await isReady())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`${basename(program)} did not start:\n${said}`)
    }
    await sleep(50)
  }
  return { stop }
}

interface DaemonOptions {
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  readonly user?: SystemUser | undefined
  readonly isReady: () => Promise<boolean>
}
