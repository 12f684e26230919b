import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { scriptPath } from '../test/script'
import type { Load, LoadResult } from './load'

/** The process that makes the load. */
export interface Loader {
  run(load: Load): Promise<LoadResult>
  stop(): void
}

export function startLoader(): Loader {
  const child: ChildProcess = fork(scriptPath('bench/load-process.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  const ended = once(child, 'exit').then(([code]): never => {
    throw new Error(`the load's process ended with ${String(code)}`)
  })
  ended.catch(() => undefined)
  return {
    async run(load) {
      const answer = once(child, 'message')
      child.send(load)
      const [result] = (await Promise.race([answer, ended])) as [LoadResult]
      return result
    },
    stop: () => child.disconnect(),
  }
}
