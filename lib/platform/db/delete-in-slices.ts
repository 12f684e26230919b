import type { Database } from './database'
import type { Statement } from './statement'

/** Rows that one statement deletes. On the embedded database, every other statement waits for it. */
export const SLICE = 500

export interface Deleted {
  readonly count: number
}

/** A statement that deletes the rows whose `key` the select `chosen` returns, at most a slice, and counts them. */
export function deletion(table: string, key: string, chosen: string): string {
  return `with gone as (delete from ${table} where ${key} = any (array(${chosen})) returning 1)
   select count(*)::int as count from gone`
}

/** Runs a `deletion` until its rows are gone. Returns their number. */
export async function deleteInSlices(
  db: Database,
  slice: Statement<Deleted>,
  params: readonly unknown[] = [],
): Promise<number> {
  for (let gone = 0; ;) {
    const count = (await db.query(slice, params))[0]?.count ?? 0
    gone += count
    if (count < SLICE) return gone
  }
}
