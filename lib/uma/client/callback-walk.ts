import type { Database } from '../../platform/db/database'
import { databaseNow, enqueueSettled } from './callback-queue'

/** How far back a new process looks for what another left behind; after that, a minute more than the time since the last look. */
const FIRST_LOOK_MS = 3 * 86_400_000
/** What was settled at a time may be committed a little later. */
const SLACK_MS = 60_000
/** So much time is looked at in one statement: with a hundred settlements a second it ends before its time-out. */
const WIDEST_MS = 3_600_000
const NARROWEST_MS = 1_000

/** Queues what was settled since the last look, slice by slice, until this moment is reached or it shall go on no more. */
export type Walk = (goesOn: () => boolean) => Promise<void>

/**
 * Oldest first, and a slice that was looked at is not looked at again, however the next one ends: a first look at a busy
 * database goes on where it was. A slice that fails is half as wide the next time, until this moment was reached.
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
    // What is new does not wait for what is old, however much that is.
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
