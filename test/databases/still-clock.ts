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
