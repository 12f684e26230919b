import { busy, rateLimited } from './errors'

/** Work that many may ask for at once: so many run, so many wait their turn, the rest are turned away at once. */
export interface WorkQueue {
  /** Carries out the work when its turn comes. @throws Error for which `isBusy` holds, when too many wait already. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** The same for work that is not one function: resolves when it may begin, with what ends it. To be called once. @throws as `run`. */
  acquire(): Promise<() => void>
  /** Nothing runs and nothing waits. */
  isIdle(): boolean
  /** The next would run at once. */
  hasRoom(): boolean
}

export function makeWorkQueue({
  atOnce,
  mostWaiting,
}: {
  readonly atOnce: number
  readonly mostWaiting: number
}): WorkQueue {
  let running = 0
  const waiting: (() => void)[] = []

  async function acquire(): Promise<() => void> {
    if (running < atOnce) running += 1
    else if (waiting.length >= mostWaiting) throw Object.assign(new Error('too many wait already'), { name: BUSY })
    else await new Promise<void>((resolve) => waiting.push(resolve))
    return release
  }

  /** The place is handed to the next in line rather than given up, so that nobody slips in between. */
  function release(): void {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }

  return {
    isIdle: () => running === 0 && waiting.length === 0,
    hasRoom: () => running < atOnce,
    acquire,
    async run(work) {
      await acquire()
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}

const BUSY = 'BusyError'

export function isBusy(error: unknown): boolean {
  return error instanceof Error && error.name === BUSY
}

/** Turns of people: so much of each at once, the rest in a line of their own. */
export interface Turns {
  /**
   * @throws VaspError 429 when too much of this person waits already; 503 when more would have to wait, while as much as may be
   * is under way for everybody.
   */
  run<Result>(username: string, work: () => Promise<Result>): Promise<Result>
  /** The same for work that is not one function: resolves when it may begin, with what ends it. To be called once. */
  acquire(username: string): Promise<() => void>
}

/**
 * Whoever fills a line fills the person's own: when everybody's together are too long, what need not wait begins all the
 * same, since only so much does at once. Without lines everything begins, until so much is under way.
 */
export function makeTurns({
  atOnce,
  mostWaiting,
  mostUnderWay,
  inLine,
}: {
  readonly atOnce: number
  /** Of one person. */
  readonly mostWaiting: number
  readonly mostUnderWay: number
  readonly inLine: boolean
}): Turns {
  const lines = new Map<string, WorkQueue>()
  let underWay = 0

  async function waitInLine(username: string): Promise<() => void> {
    const line = lines.get(username) ?? makeWorkQueue({ atOnce, mostWaiting })
    lines.set(username, line)
    try {
      const release = await line.acquire()
      return () => {
        release()
        forget(username, line)
      }
    } catch (error) {
      forget(username, line)
      throw isBusy(error) ? rateLimited(1) : error
    }
  }

  function forget(username: string, line: WorkQueue): void {
    if (line.isIdle()) lines.delete(username)
  }

  async function acquire(username: string): Promise<() => void> {
    const beginsAtOnce = inLine && (lines.get(username)?.hasRoom() ?? true)
    if (underWay >= mostUnderWay && !beginsAtOnce) throw busy(1)
    underWay += 1
    try {
      const leave = inLine ? await waitInLine(username) : undefined
      return () => {
        underWay -= 1
        leave?.()
      }
    } catch (error) {
      underWay -= 1
      throw error
    }
  }

  return {
    acquire,
    async run(username, work) {
      const release = await acquire(username)
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}

const MAX_CONCURRENT_BATCHES = 2
const MAX_BATCH_SIZE = 100

/**
 * Loads the keys of one moment in one round trip, because a round trip costs about the same with ten keys as with one. A key joins
 * only a batch that starts after the key was given, so that no value is older than its request. Nothing is cached.
 * @param loadBatch returns the values in the order of the keys. If it throws, all keys of the batch fail.
 */
export function createBatchLoader<Key, Value>(
  loadBatch: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let queued: Queued<Key, Value>[] = []
  let running = 0
  let scheduled = false

  function start(): void {
    scheduled = false
    while (queued.length > 0 && running < MAX_CONCURRENT_BATCHES) {
      const batch = queued.slice(0, MAX_BATCH_SIZE)
      queued = queued.slice(MAX_BATCH_SIZE)
      running += 1
      void run(batch)
    }
  }

  async function run(batch: readonly Queued<Key, Value>[]): Promise<void> {
    try {
      const values = await loadBatch(batch.map(({ key }) => key))
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as Value)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      running -= 1
      start()
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      queued.push({ key, resolve, reject })
      if (scheduled || running >= MAX_CONCURRENT_BATCHES) return
      scheduled = true
      setImmediate(start)
    })
}

interface Queued<Key, Value> {
  readonly key: Key
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}
