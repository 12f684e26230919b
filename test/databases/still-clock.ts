import type { Database } from '@/lib/platform/db/database'

/**
 * The database with a clock that stands still in its statements: no wait ends while a slow machine runs a test. Several instances
 * of one database need the same time.
 */
export function withStillClock(db: Database, now = new Date()): Database {
  return {
    ...db,
    query: (statement, params) =>
      db.query(
        {
          ...statement,
          // A connection prepares each name once.
          name: `${statement.name}_${now.getTime()}`,
          text: statement.text.replaceAll('clock_timestamp()', `timestamptz '${now.toISOString()}'`),
        },
        params,
      ),
  }
}

/** A database whose clock can be stopped at any time, so that a test need not wait. */
export interface MovableClock {
  readonly db: Database
  /** The time in its statements. Undefined: the real time. */
  now: Date | undefined
  /** The number of answered statements that read the clock, except those during which it was set. */
  reads: number
}

export function withMovableClock(db: Database): MovableClock {
  const clock: MovableClock = {
    db: {
      ...db,
      async query(statement, params) {
        const { now } = clock
        const rows = await (now === undefined ? db : withStillClock(db, now)).query(statement, params)
        if (now === clock.now && statement.text.includes('clock_timestamp()')) clock.reads += 1
        return rows
      },
    },
    now: undefined,
    reads: 0,
  }
  return clock
}
