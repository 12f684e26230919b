import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { isAlive } from '@/test/programs/is-alive'
import { scriptPath } from '@/test/programs/script'
import { BUSY_LOOPS, startBusyLoops } from './busy-loops'

const PATIENCE_MS = 30_000

describe('the busy loops beside a repeated test', () => {
  it('run until they are stopped', async () => {
    const loops = startBusyLoops()
    try {
      expect(loops.pids.map(isAlive)).toEqual(Array.from({ length: BUSY_LOOPS }, () => true))
    } finally {
      loops.stop()
    }
    await vi.waitFor(() => expect(loops.pids.some(isAlive)).toBe(false), { timeout: PATIENCE_MS })
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('end with their parent after %s', async (signal) => {
    const parent = spawn(process.execPath, [scriptPath('test/programs/busy-parent.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(parent.stdout, 'data')) as [Buffer]
    const pids = line.toString().trim().split(' ').map(Number)
    expect(pids.map(isAlive)).toEqual(Array.from({ length: BUSY_LOOPS }, () => true))
    parent.kill(signal)
    await vi.waitFor(() => expect(pids.some(isAlive)).toBe(false), { timeout: PATIENCE_MS })
  })
})
