import type { Database } from '../../platform/db/database'
import { databaseNow, enqueueSettled } from './callback-queue'

/**
 * How far back a new process looks for settlements that another process did not queue. Later walks start a minute
 * before the end of the last one.
 */
const FIRST_LOOK_MS = 3 * 86_400_000
/** A settlement may be committed a little after the time that it records. */
const SLACK_MS = 60_000
/** The time span of one statement. At a hundred settlements a second, the statement ends before its timeout. */
const WIDEST_MS = 3_600_000
const NARROWEST_MS = 1_000

/**
 * Queues the payments settled since the last walk, slice by slice, until the present is reached or `goesOn` returns false.
 */
export type Walk = (goesOn: () => boolean) => Promise<void>

/**
 * Reads the oldest slice first. If there is more than one slice, it reads the last minute before all others. A finished slice is
 * not read again: after a failure, the next walk continues with the slice that failed, and with slices of half the width until
 * a walk reaches the present.
 */
export function makeCallbackWalk(db: Database): Walk {
  let lookedUntilMs: number | undefined
  let widthMs = WIDEST_MS

  const look = (fromMs: number, untilMs: number): Promise<void> =>
    enqueueSettled(db, new Date(fromMs), new Date(untilMs)).catch((error: unknown) => {
      widthMs = Math.max(NARROWEST_MS, Math.floor(widthMs / 2))
      throw error
    })

  return async (goesOn) => {
    const nowMs = (await databaseNow(db)).getTime()
    const begunMs = lookedUntilMs ?? nowMs - FIRST_LOOK_MS
    // New settlements do not wait for old ones, however many there are.
    if (nowMs - begunMs > widthMs) await look(nowMs - SLACK_MS, nowMs)
    for (let fromMs = begunMs; fromMs < nowMs;) {
      const untilMs = Math.min(fromMs + widthMs, nowMs)
      await look(fromMs, untilMs)
      fromMs = untilMs
      lookedUntilMs = Math.min(untilMs, nowMs - SLACK_MS)
      if (untilMs < nowMs && !goesOn()) return
    }
    widthMs = WIDEST_MS
  }
}
