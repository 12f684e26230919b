import type { Log } from './log'
import { makeBuckets } from './token-bucket'

/** Lines of one message that any client can cause: a burst, then one a second. */
const RATE = { perSecond: 1, burst: 60 }
const SUMMARY_AFTER_MS = 10_000

/** A log for lines that any client can cause. A flood of them must not fill the disk. */
export interface BoundedLog {
  /** Writes the line. Beyond the rate it is counted instead, and one line gives the count. */
  info(fields: Readonly<Record<string, unknown>>, message: string): void
}

export function makeBoundedLog(log: Log): BoundedLog {
  const buckets = makeBuckets(RATE)
  const leftOut = new Map<string, number>()

  function count(message: string): void {
    const lines = (leftOut.get(message) ?? 0) + 1
    leftOut.set(message, lines)
    if (lines > 1) return
    setTimeout(() => {
      log.warn({ lines: leftOut.get(message), message }, 'lines were left out: too many')
      leftOut.delete(message)
    }, SUMMARY_AFTER_MS).unref()
  }

  return {
    info(fields, message) {
      if (buckets.take(message) === undefined) log.info(fields, message)
      else count(message)
    },
  }
}
