import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeOnPostgres } from '@/test/databases/databases'
import { preparedDataDir } from '@/test/databases/embedded'
import { LOCK_WAITS } from '@/test/databases/lock-waits'
import { startDatabaseProcess } from '@/test/programs/database-processes'
import { migrate, type MigrationConnection } from './migrate'
import { readMigrations, type Migration } from './migration-files'

const FIRST = migration('1_first', 'create table first (id integer); create table second (id integer);')
const SECOND = migration('2_second', 'alter table first add column name text;')
const HALF_BAD = migration('3_half_bad', 'create table third (id integer); create table third (id integer);')

interface OpenConnection {
  readonly connection: MigrationConnection
  close(): Promise<void>
}

describe('Migrations, on the embedded database', () => {
  let dataDir: string
  let db: PGlite
  beforeAll(async () => {
    dataDir = await preparedDataDir()
    db = await PGlite.create(join(dataDir, 'database'))
  })
  afterAll(async () => {
    await db.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  migrationTests(async () => {
    await db.exec('drop schema public cascade; create schema public')
    return { connection: connectionOf(db), close: async () => {} }
  })
})

describeOnPostgres('Migrations, on a real server', (server) => {
  migrationTests(async () => {
    const client = await connect(await server.createDatabase())
    return { connection: connectionOf(client), close: () => client.end() }
  })

  test('four processes that start at once apply each migration once, and all of them start', async () => {
    const url = await server.createDatabase()
    const processes = Array.from({ length: 4 }, () => startDatabaseProcess('open', url))
    expect(await Promise.all(processes.map((each) => each.outcome))).toEqual(['open', 'open', 'open', 'open'])
    await Promise.all(processes.map((each) => each.kill('SIGKILL')))
    const client = await connect(url)
    const history = await client.query('select migration_name from _prisma_migrations order by 1')
    await client.end()
    expect(history.rows.map((row: { migration_name: string }) => row.migration_name)).toEqual(
      readMigrations().map((each) => each.name),
    )
  })

  test('a process of an older version keeps running after a migration, and its restart ends with one line', async () => {
    const url = await server.createDatabase()
    const running = startDatabaseProcess('open', url)
    expect(await running.outcome).toBe('open')
    const client = await connect(url)
    await migrate(connectionOf(client), [
      ...readMigrations(),
      migration('29990101000000_newer', 'create table newer ();'),
    ])
    await client.end()
    expect(running.child.exitCode).toBeNull()
    expect(await startDatabaseProcess('open', url).outcome).toBe(
      'refused: The database is ahead of this build: it holds migration 29990101000000_newer. Start the newer build.',
    )
    await running.kill('SIGKILL')
  })

  test('a start waits for the process that holds the migration lock', async () => {
    const url = await server.createDatabase()
    const holder = await connect(url)
    await holder.query('select pg_advisory_lock(72707369)')
    const waiting = startDatabaseProcess('open', url)
    await expect.poll(async () => (await holder.query(LOCK_WAITS)).rowCount).toBe(1)
    await holder.end()
    expect(await waiting.outcome).toBe('open')
    await waiting.kill('SIGKILL')
  })
})

function migrationTests(open: () => Promise<OpenConnection>): void {
  let opened: OpenConnection
  let connection: MigrationConnection
  beforeEach(async () => {
    opened = await open()
    connection = opened.connection
  })
  afterEach(() => opened.close())

  test('the second run applies nothing, and a later run only new migrations', async () => {
    expect(await migrate(connection, [FIRST])).toEqual(['1_first'])
    expect(await migrate(connection, [FIRST])).toEqual([])
    expect(await migrate(connection, [FIRST, SECOND])).toEqual(['2_second'])
  })

  test("the repository's own migrations apply, and a second run applies nothing", async () => {
    const all = readMigrations()
    expect(await migrate(connection, all)).toEqual(all.map((each) => each.name))
    expect(await migrate(connection, all)).toEqual([])
  })

  test('the history equals the one that Prisma writes', async () => {
    await migrate(connection, [FIRST])
    const [row] = await connection.query('select * from _prisma_migrations', [])
    expect(row).toMatchObject({
      checksum: FIRST.checksum,
      migration_name: '1_first',
      applied_steps_count: 1,
      logs: null,
      rolled_back_at: null,
    })
    expect(row?.finished_at).toBeInstanceOf(Date)
    expect(row?.id).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('an edited migration is refused and no new migration is applied', async () => {
    await migrate(connection, [FIRST])
    await expect(migrate(connection, [migration('1_first', 'create table other ();'), SECOND])).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('1_first was edited') as string,
    })
    expect(await namesApplied(connection)).toEqual(['1_first'])
  })

  test('a migration that fails halfway leaves nothing behind and releases the lock; once fixed, it is applied', async () => {
    await expect(migrate(connection, [FIRST, HALF_BAD])).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(
        /^Migration 3_half_bad failed and was rolled back: .*third.*already exists/,
      ) as string,
    })
    expect(await namesApplied(connection)).toEqual(['1_first'])
    expect(await connection.query("select to_regclass('third')::text as name", [])).toEqual([{ name: null }])
    const ours = 'database = (select oid from pg_database where datname = current_database())'
    expect(await connection.query(`select 1 from pg_locks where locktype = 'advisory' and ${ours}`, [])).toEqual([])
    const mended = migration('3_half_bad', 'create table third (id integer);')
    expect(await migrate(connection, [FIRST, mended])).toEqual(['3_half_bad'])
  })

  test('a migration that another tool applied halfway is refused', async () => {
    await migrate(connection, [FIRST])
    await connection.exec('update _prisma_migrations set finished_at = null')
    await expect(migrate(connection, [FIRST])).rejects.toThrow('1_first was left half applied')
  })

  test('a migration that was rolled back by hand is applied again', async () => {
    await migrate(connection, [FIRST])
    await connection.exec('drop table first, second; update _prisma_migrations set rolled_back_at = now()')
    expect(await migrate(connection, [FIRST])).toEqual(['1_first'])
  })

  test('a database that is newer than this build is refused', async () => {
    await migrate(connection, [FIRST, SECOND])
    await expect(migrate(connection, [FIRST])).rejects.toThrow(/ahead of this build.*2_second/)
  })
}

function migration(name: string, sql: string): Migration {
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
}

async function namesApplied(connection: MigrationConnection): Promise<unknown[]> {
  const rows = await connection.query('select migration_name from _prisma_migrations order by 1', [])
  return rows.map((row) => row.migration_name)
}

function connectionOf(db: PGlite | Client): MigrationConnection {
  return {
    exec: async (sql) => void (await (db instanceof Client ? db.query(sql) : db.exec(sql))),
    query: async (sql, params) => {
      const { rows } = await (db instanceof Client
        ? db.query<Record<string, unknown>>(sql, params)
        : db.query<Record<string, unknown>>(sql, params))
      return rows
    },
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}
