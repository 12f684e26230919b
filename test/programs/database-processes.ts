import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { scriptPath } from './script'

export interface DatabaseProcess {
  readonly child: ChildProcess
  /** Resolves with `open` or `refused: …`. */
  readonly outcome: Promise<string>
  /** The whole output so far. */
  written(): string
  /** Resolves when the output has a line with this text. */
  says(text: string): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Starts test/programs/database-process.ts as a real process. `cwd` is the project that it works in. */
export function startDatabaseProcess(what: 'lock' | 'open' | 'write', where: string, cwd = '.'): DatabaseProcess {
  const child = spawn(
    process.execPath,
    [join(process.cwd(), scriptPath('test/programs/database-process.ts')), what, where],
    {
      cwd,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  let written = ''
  child.stdout.on('data', (chunk: Buffer) => (written += chunk.toString()))
  const ended = once(child, 'close')
  const line = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(written)
        if (found !== null) resolve(found[0])
      }
      child.stdout.on('data', look)
      void ended.then(() => reject(new Error(`the process ended before it printed ${pattern}. Its output: ${written}`)))
      look()
    })
  const outcome = line(/^(open|refused: .*)$/m)
  outcome.catch(() => {})
  return {
    child,
    outcome,
    written: () => written,
    says: async (text) => void (await line(new RegExp(text))),
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await ended
    },
  }
}
