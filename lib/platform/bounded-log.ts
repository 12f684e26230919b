import type { Log } from './log'
import { makeRateLimiter } from './rate-limiter'
import { makeTally } from './tally'

/** For each message. */
const RATE = { perSecond: 1, burst: 60 }
const SUMMARY_AFTER_MS = 10_000

/** A log for lines that any client can cause. A flood of such lines must not fill the disk. */
export interface BoundedLog {
  /** Writes the line. Beyond the rate, lines are counted and one summary line gives their number. */
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  /** Writes a line whose text a client can vary. All such lines of one kind share the rate. */
  write(level: 'error' | 'warn', kind: string, fields: Readonly<Record<string, unknown>>, message: string): void
}

export function makeBoundedLog(log: Log): BoundedLog {
  const limiter = makeRateLimiter(RATE)
  const tallies = new Map<string, () => void>()

  function count(message: string): void {
    const tally =
      tallies.get(message) ??
      makeTally(SUMMARY_AFTER_MS, (lines) => log.warn({ lines, message }, 'log lines were dropped: too many'))
    tallies.set(message, tally)
    tally()
  }

  return {
    info(fields, message) {
      if (limiter.consume(message) === undefined) log.info(fields, message)
      else count(message)
    },
    write(level, kind, fields, message) {
      if (limiter.consume(kind) === undefined) log[level](fields, message)
      else count(kind)
    },
  }
}
