import { busy, rateLimited } from '../errors'
import { isBusy, makeWorkQueue, type WorkQueue } from '../work-queue'

/** Turns of people: so much of each at once, the rest in a line of their own. */
export interface Turns {
  /**
   * @throws VaspError 429 when too much of this person waits already; 503 when more would have to wait, while as much as may be
   * is under way for everybody.
   */
  run<Result>(username: string, work: () => Promise<Result>): Promise<Result>
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

  async function waitInLine<Result>(username: string, work: () => Promise<Result>): Promise<Result> {
    const line = lines.get(username) ?? makeWorkQueue({ atOnce, mostWaiting })
    lines.set(username, line)
    try {
      return await line.run(work)
    } catch (error) {
      if (isBusy(error)) throw rateLimited(1)
      throw error
    } finally {
      if (line.isIdle()) lines.delete(username)
    }
  }

  return {
    async run(username, work) {
      const beginsAtOnce = inLine && (lines.get(username)?.hasRoom() ?? true)
      if (underWay >= mostUnderWay && !beginsAtOnce) throw busy(1)
      underWay += 1
      try {
        return await (inLine ? waitInLine(username, work) : work())
      } finally {
        underWay -= 1
      }
    },
  }
}
