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
