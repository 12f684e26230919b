import { fork } from 'node:child_process'

export const BUSY_LOOPS = 2

/** Processes that compete with the tests for the cores. They end with this process, however it ends. */
export function startBusyLoops() {
  const loops = Array.from({ length: BUSY_LOOPS }, () => fork('scripts/test/busy-loop.mjs', { stdio: 'ignore' }))
  const stop = (): void => loops.forEach((loop) => void loop.kill('SIGKILL'))
  return { pids: loops.flatMap(({ pid = [] }) => pid), stop }
}
