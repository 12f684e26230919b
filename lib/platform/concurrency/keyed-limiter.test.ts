import { expect, it, vi } from 'vitest'
import { isBusy } from './concurrency-limiter'
import { makeKeyedLimiter } from './keyed-limiter'

function heldTask() {
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  return { task: vi.fn(() => ended), end }
}

it('limits each key separately and rejects tasks beyond their key’s queue', async () => {
  const limiter = makeKeyedLimiter({ maxConcurrent: 1, maxQueued: 1 })
  const { task, end } = heldTask()
  const tasks = [limiter.run('a', task), limiter.run('a', task)]
  expect(isBusy(await limiter.run('a', task).catch((error: unknown) => error))).toBe(true)
  expect([limiter.hasRoom('a'), limiter.hasRoom('b')]).toEqual([false, true])
  expect(await limiter.run('b', () => Promise.resolve('done'))).toBe('done')
  end()
  await Promise.all(tasks)
  expect(task).toHaveBeenCalledTimes(2)
})

it('forgets a key once none of its tasks is running or waiting, even after a failure', async () => {
  const forgotten = vi.spyOn(Map.prototype, 'delete')
  const limiter = makeKeyedLimiter({ maxConcurrent: 1, maxQueued: 1 })
  const { task, end } = heldTask()
  const running = limiter.run('a', task)
  const failing = limiter.run('a', () => Promise.reject(new Error('of the task')))
  expect(forgotten).not.toHaveBeenCalledWith('a')
  end()
  await running
  await expect(failing).rejects.toThrow('of the task')
  expect(forgotten).toHaveBeenCalledWith('a')
  forgotten.mockRestore()
  expect(limiter.hasRoom('a')).toBe(true)
})
