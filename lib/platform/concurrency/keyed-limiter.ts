import {
  makeConcurrencyLimiter,
  runInSlot,
  type ConcurrencyLimiter,
  type ConcurrencyLimits,
} from './concurrency-limiter'

/** One concurrency limiter per key. Keys without running or waiting tasks take no memory. */
export interface KeyedLimiter {
  /** Runs the task when its key has a free slot. @throws Error for which `isBusy` holds, when the key's queue is full. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>
  /**
   * For work that is not a single function. Takes a slot of the key and returns the function that releases it; call
   * that function once. @throws like `run`.
   */
  acquire(key: string): Promise<() => void>
  /** The key's next task would start at once. */
  hasRoom(key: string): boolean
}

/** `limits` apply to each key separately. */
export function makeKeyedLimiter(limits: ConcurrencyLimits): KeyedLimiter {
  const limiters = new Map<string, ConcurrencyLimiter>()

  async function acquire(key: string): Promise<() => void> {
    const limiter = limiters.get(key) ?? makeConcurrencyLimiter(limits)
    limiters.set(key, limiter)
    const release = await limiter.acquire()
    return () => {
      release()
      if (limiter.isIdle()) limiters.delete(key)
    }
  }

  return {
    acquire,
    hasRoom: (key) => limiters.get(key)?.hasRoom() ?? true,
    run: (key, task) => runInSlot(acquire(key), task),
  }
}
