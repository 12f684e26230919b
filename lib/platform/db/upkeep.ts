import { setImmediate } from 'node:timers/promises'
import { runEvery } from '../run-every'

/** One statement. Every other statement waits for it, so it does no more than a part of one table. */
export interface UpkeepStep {
  readonly name: string
  readonly run: () => Promise<void>
}

/** Returns the steps that are due. */
export type DueUpkeep = () => Promise<readonly UpkeepStep[]>

const EVERY_MS = 10_000
/** A table is due when this many rows, and this share of its rows, were inserted, updated or deleted since its last upkeep. */
const CHANGED_ROWS = 500
const CHANGED_SHARE = 0.2
/** The engine forgets its counts when it stops, so the first round takes every table of at least this size. */
const FIRST_ROUND_BYTES = 128 * 1024
/** Two segments. A checkpoint lets the engine use the older ones again, and a start after a kill replays only what is newer. */
const WAL_BYTES = 32 * 1024 * 1024

/** The engine adds its counts to the shared ones at most once a second, and this makes it add them now. */
const COUNT_NOW = 'select pg_stat_force_next_flush()'
const DUE_TABLES = `
  select format('%I.%I', nspname, relname) as name
  from pg_class c join pg_namespace n on n.oid = relnamespace
  where relkind = 'r' and nspname in ('public', 'lightning_node')
    and (pg_stat_get_mod_since_analyze(c.oid) > ${CHANGED_ROWS} + ${CHANGED_SHARE} * greatest(reltuples, 0)
         or $1 and pg_table_size(c.oid) >= ${FIRST_ROUND_BYTES})
  order by name`
const WAL_SINCE_CHECKPOINT = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint as bytes from pg_control_checkpoint()`

/** Runs one statement outside a transaction. `name` is for the log. Returns no rows once the database is closed. */
type Run = <Row>(name: string, sql: string, params?: unknown[]) => Promise<Row[]>

export function makeUpkeep(run: Run): DueUpkeep {
  let isFirst = true
  const step = (name: string, sql: string): UpkeepStep => ({ name, run: async () => void (await run(name, sql)) })
  return async () => {
    await run('count changes', COUNT_NOW)
    const tables = await run<{ name: string }>('tables due', DUE_TABLES, [isFirst])
    isFirst = false
    const [wal] = await run<{ bytes: bigint }>('wal since checkpoint', WAL_SINCE_CHECKPOINT)
    const steps = tables.flatMap(({ name }) => [
      step(`vacuum ${name}`, `vacuum (process_toast false) ${name}`),
      step(`vacuum long values of ${name}`, `vacuum (process_main false) ${name}`),
      step(`analyze ${name}`, `analyze ${name}`),
    ])
    return (wal?.bytes ?? 0n) < WAL_BYTES ? steps : [...steps, step('checkpoint', 'checkpoint')]
  }
}

/** Runs the steps that are due. A failed step does not stop the others. */
export async function runUpkeep(due: DueUpkeep, onError: (step: string, error: unknown) => void): Promise<void> {
  for (const step of await due()) {
    await step.run().catch((error: unknown) => onError(step.name, error))
    // The engine runs in this thread: without a turn of the event loop, requests would wait for all steps.
    await setImmediate()
  }
}

/** Runs the steps that are due every 10 seconds while the process runs. `onError` receives the first failure of each step. */
export function scheduleUpkeep(due: DueUpkeep, onError: (step: string, error: unknown) => void): void {
  const reported = new Set<string>()
  const report = (step: string, error: unknown): void => {
    if (!reported.has(step)) onError(step, error)
    reported.add(step)
  }
  runEvery(
    EVERY_MS,
    () => runUpkeep(due, report),
    (error) => report('tables due', error),
  )
}
