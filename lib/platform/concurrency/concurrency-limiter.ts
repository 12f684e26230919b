/** Runs at most `maxConcurrent` tasks at once. Up to `maxQueued` more wait in order of arrival, and further tasks are rejected. */
export interface ConcurrencyLimiter {
  /** Runs the task when a slot is free. @throws Error for which `isBusy` holds, when the queue is full. */
  run<Result>(task: () => Promise<Result>): Promise<Result>
  /**
   * For work that is not a single function. Takes a slot and returns the function that releases it; call that function
   * once.
   * @throws like `run`.
   */
  acquire(): Promise<() => void>
  /** No task is running or waiting. */
  isIdle(): boolean
  /** The next task would start at once. */
  hasRoom(): boolean
}

export interface ConcurrencyLimits {
  readonly maxConcurrent: number
  readonly maxQueued: number
}

/** Own code: p-limit and p-queue have no bound on their queue. */
export function makeConcurrencyLimiter({ maxConcurrent, maxQueued }: ConcurrencyLimits): ConcurrencyLimiter {
  let running = 0
  const queue: (() => void)[] = []

  async function acquire(): Promise<() => void> {
    if (running < maxConcurrent) running += 1
    else if (queue.length >= maxQueued) throw Object.assign(new Error('the queue is full'), { name: BUSY })
    else await new Promise<void>((resolve) => queue.push(resolve))
    return release
  }

  /** Passes the slot to the next waiting task directly, so that no new task can take it in between. */
  function release(): void {
    const next = queue.shift()
    if (next === undefined) running -= 1
    else next()
  }

  return {
    isIdle: () => running === 0 && queue.length === 0,
    hasRoom: () => running < maxConcurrent,
    acquire,
    run: (task) => runInSlot(acquire(), task),
  }
}

/** Runs the task when the slot is free, and releases the slot when the task has ended. */
export async function runInSlot<Result>(slot: Promise<() => void>, task: () => Promise<Result>): Promise<Result> {
  const release = await slot
  try {
    return await task()
  } finally {
    release()
  }
}

const BUSY = 'BusyError'

/** Whether a concurrency limiter rejected the task because its queue was full. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && error.name === BUSY
}
