import { fork } from 'node:child_process'

export const BUSY_LOOPS = 2

/** Processes that compete with the tests for the cores. They end with this process, however it ends. */
export function startBusyLoops(): { readonly pids: readonly number[]; stop(): void } {
  const loops = Array.from({ length: BUSY_LOOPS }, () => fork('scripts/test/busy-loop.mjs', { stdio: 'ignore' }))
  return {
    pids: loops.flatMap(({ pid = [] }) => pid),
    stop() {
      for (const loop of loops) loop.kill('SIGKILL')
    },
  }
}
