import { randomUUID } from 'node:crypto'
import { startError } from '../start-error'
import type { Migration } from './migration-files'
import { sqlState } from './sql-state'

/** One connection, so that the lock and the transactions use the same session. */
export interface MigrationConnection {
  exec(sql: string): Promise<void>
  query(sql: string, params: unknown[]): Promise<Record<string, unknown>[]>
}

/** The advisory lock key of Prisma's own engine, so that `prisma migrate deploy` and this runner exclude each other. */
const LOCK = 72_707_369
const LOCK_NOT_AVAILABLE = '55P03'
const NO_RIGHT = '42501'

const HISTORY_TABLE = `
  create table if not exists _prisma_migrations (
    id                  varchar(36) primary key not null,
    checksum            varchar(64) not null,
    finished_at         timestamptz,
    migration_name      varchar(255) not null,
    logs                text,
    rolled_back_at      timestamptz,
    started_at          timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`

/**
 * Applies missing migrations, each file in one transaction with its history row, and returns the names applied. Writes
 * Prisma's history table as Prisma does.
 * @throws Error named StartError for a migration that was edited, was applied halfway or fails, for a database that is
 * newer than this build, and when another process holds the lock too long.
 */
export async function migrate(
  connection: MigrationConnection,
  migrations: readonly Migration[],
  onStep: (step: string) => void = () => {},
): Promise<string[]> {
  await lock(connection)
  try {
    await connection.exec(HISTORY_TABLE)
    const done = await readHistory(connection)
    refuseStrangeHistory(done, migrations)
    const missing = migrations.filter((migration) => !done.has(migration.name))
    for (const migration of missing) {
      onStep(`Applying migration ${migration.name}`)
      await apply(connection, migration)
    }
    return missing.map((migration) => migration.name)
  } finally {
    // A lost connection has released the lock too, and the earlier error matters more.
    await connection.query(`select pg_advisory_unlock(${LOCK})`, []).catch(() => undefined)
  }
}

async function lock(connection: MigrationConnection): Promise<void> {
  try {
    await connection.query(`select pg_advisory_lock(${LOCK})`, [])
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error
    throw startError(
      'Another process has been migrating this database for too long. Start again when that process has finished.',
      error,
    )
  }
}

interface Applied {
  readonly checksum: string
  readonly finished: boolean
}

async function readHistory(connection: MigrationConnection): Promise<Map<string, Applied>> {
  const rows = await connection.query(
    `select migration_name, checksum, finished_at is not null as finished from _prisma_migrations
     where rolled_back_at is null order by started_at`,
    [],
  )
  return new Map(
    rows.map((row) => [
      String(row.migration_name),
      { checksum: String(row.checksum), finished: row.finished === true },
    ]),
  )
}

function refuseStrangeHistory(done: ReadonlyMap<string, Applied>, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const [name, applied] of done) {
    const migration = known.get(name)
    if (migration === undefined)
      throw startError(`The database is ahead of this build: it holds migration ${name}. Start the newer build.`)
    if (!applied.finished)
      throw startError(`Migration ${name} was left half applied. Restore the database or resolve it by hand.`)
    if (applied.checksum !== migration.checksum) {
      throw startError(
        `Migration ${name} was edited after it was applied. Migrations are append-only: restore the file and add a new one.`,
      )
    }
  }
}

async function apply(connection: MigrationConnection, migration: Migration): Promise<void> {
  await connection.exec('begin')
  try {
    await connection.exec(migration.sql)
    await connection.query(
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) values ($1, $2, $3, now(), 1)`,
      [randomUUID(), migration.checksum, migration.name],
    )
    await connection.exec('commit')
  } catch (error) {
    await connection.exec('rollback').catch(() => undefined)
    // A missing right is no fault of the migration.
    if (sqlState(error) === NO_RIGHT) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw startError(`Migration ${migration.name} failed and was rolled back: ${reason}.`, error)
  }
}
