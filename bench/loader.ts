import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { scriptPath } from '../test/programs/script'
import type { Load, LoadResult } from './load'
import type { CannonLoad, CannonResult } from './load-client'

/** A process that sends requests. */
export interface Worker<Input, Output> {
  run(input: Input): Promise<Output>
  stop(): void
}

/** Sends requests at a fixed rate, and requests whose answers are checked one by one. */
export type Loader = Worker<Load, LoadResult>

/** Sends as many requests as the server can answer. */
export type Cannon = Worker<CannonLoad, CannonResult>

export const startLoader = (): Loader => startWorker('bench/load-process.ts')
export const startCannon = (): Cannon => startWorker('bench/load-client-process.ts')

function startWorker<Input extends object, Output>(script: string): Worker<Input, Output> {
  const child: ChildProcess = fork(scriptPath(script), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  const ended = once(child, 'exit').then(([code]): never => {
    throw new Error(`the load process ended with ${String(code)}`)
  })
  ended.catch(() => undefined)
  return {
    async run(input) {
      const answer = once(child, 'message')
      child.send(input)
      const [result] = (await Promise.race([answer, ended])) as [Output]
      return result
    },
    stop: () => child.disconnect(),
  }
}
