import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { scriptPath } from '../test/programs/script'
import type { CannonLoad, CannonResult } from './cannon'
import type { Load, LoadResult } from './load'

/** A process that sends requests, so that neither the load nor the server waits for the other's garbage collector. */
export interface Worker<Input, Output> {
  /** @throws Error when there is no result in time. The process is then killed, and the next call starts another. */
  run(input: Input): Promise<Output>
  stop(): void
}

/** Sends requests at a fixed rate, and requests whose answers are checked one by one. */
export type Loader = Worker<Load, LoadResult>

/** Sends requests as fast as the server answers them. */
export type Cannon = Worker<CannonLoad, CannonResult>

/** The load itself waits for an answer for a minute. */
const LAST_ANSWERS_MS = 90_000

export const startLoader = (): Loader => startWorker(({ durationMs }) => durationMs + LAST_ANSWERS_MS)
export const startCannon = (): Cannon => startWorker(({ deadlineMs }) => deadlineMs)

function startWorker<Input extends object, Output>(deadlineOf: (input: Input) => number): Worker<Input, Output> {
  let running: ChildProcess | undefined
  return {
    async run(input) {
      const child = (running ??= fork(scriptPath('bench/load-process.ts'), {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        serialization: 'advanced',
      }))
      const over = new AbortController()
      const deadlineMs = deadlineOf(input)
      const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs)
      const ended = once(child, 'exit', over).then((): never => {
        running = undefined
        throw new Error(`the load has no result after ${deadlineMs / 1000} s at most`)
      })
      const answer = once(child, 'message', over)
      for (const each of [ended, answer]) each.catch(() => undefined)
      try {
        child.send(input)
        const [result] = (await Promise.race([answer, ended])) as [Output]
        return result
      } finally {
        clearTimeout(timer)
        over.abort()
      }
    },
    stop: () => void (running?.connected === true && running.disconnect()),
  }
}
