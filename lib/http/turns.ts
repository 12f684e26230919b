import { busy, rateLimited } from '../errors'
import { isBusy, makeWorkQueue, type WorkQueue } from '../work-queue'

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
