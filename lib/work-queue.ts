/** Work that many may ask for at once: so many run, so many wait their turn, the rest are turned away at once. */
export interface WorkQueue {
  /** Carries out the work when its turn comes. @throws Error for which `isBusy` holds, when too many wait already. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
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
  return {
    isIdle: () => running === 0 && waiting.length === 0,
    hasRoom: () => running < atOnce,
    async run(work) {
      if (running < atOnce) running += 1
      else if (waiting.length >= mostWaiting) throw Object.assign(new Error('too many wait already'), { name: BUSY })
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        // The place is handed to the next in line rather than given up, so that nobody slips in between.
        const next = waiting.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}

const BUSY = 'BusyError'

export function isBusy(error: unknown): boolean {
  return error instanceof Error && error.name === BUSY
}
