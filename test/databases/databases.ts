import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, inject, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { EMBEDDED_START_PARAMS } from '@/lib/platform/db/embedded'
import { openDatabase } from '@/lib/platform/db/open-database'
import { SESSION_SETTINGS } from '@/lib/platform/db/postgres'
import { dataDirWith, restoredDataDir } from './embedded'
import { migratedDataDir } from './migrated'
import { openPatiently } from './patient-database'
import { joinTestPostgres, NO_POSTGRES, startTestPostgres, type TestPostgres } from './postgres'

const shared = inject('postgres')
const postgres = shared === undefined ? undefined : joinTestPostgres(shared)

/** Drops the databases that this process has created on the shared server. */
export async function dropDatabases(): Promise<void> {
  await postgres?.stop()
}

/** Runs the same tests on the embedded database and on a real server, each with its own migrated database. */
export function describeOnBothEngines(name: string, tests: (db: () => Database) => void): void {
  if (usesEmbedded()) describeOnEmbedded(`${name}, on the embedded database`, tests)
  if (!usesPostgres()) return
  describeOnPostgres(`${name}, on a real server`, (server) =>
    withDatabase(() => openOn(server.createMigratedDatabase()), tests),
  )
}

/** Like `describeOnBothEngines`, on a database that an SQL dump fills and the current code then opens. */
export function describeRestored(name: string, dump: string, tests: (db: () => Database) => void): void {
  if (usesEmbedded())
    describe(`${name}, on the embedded database`, () => withDatabase(() => openEmbedded(restoredDataDir(dump)), tests))
  if (!usesPostgres()) return
  describeOnPostgres(`${name}, on a real server`, (server) => withDatabase(() => openOn(server.restore(dump)), tests))
}

/** A database that can be backed up: closed, copied, and opened again. The caller closes it. */
export interface StoredDatabase {
  open(): Promise<Database>
  /** Copies the database. It must be closed. */
  backUp(): StoredDatabase | Promise<StoredDatabase>
}

/** Runs the same tests on both engines, with migrated databases that can be backed up. */
export function describeWithBackups(name: string, tests: (create: () => Promise<StoredDatabase>) => void): void {
  if (usesEmbedded())
    describe(`${name}, on embedded databases`, () => {
      const removed = removedAfterwards()
      const stored = (dataDir: string): StoredDatabase => {
        removed(dataDir)
        return {
          open: () => openDatabase({ databaseUrl: undefined, dataDir, log: () => {} }),
          backUp: () => stored(dataDirWith(dataDir)),
        }
      }
      tests(async () => stored(await migratedDataDir()))
    })
  if (!usesPostgres()) return
  describeOnPostgres(`${name}, on a real server`, (server) => {
    const stored = (databaseUrl: string): StoredDatabase => ({
      open: () => openPatiently(databaseUrl),
      backUp: async () => stored(await server.copy(databaseUrl)),
    })
    tests(async () => stored(await server.createMigratedDatabase()))
  })
}

/** Like `describeOnBothEngines`, for tests whose databases other processes open: in a folder, or on the server. */
export function describeInProcesses(
  name: string,
  tests: (make: () => Promise<{ readonly dataDir: string; readonly databaseUrl: string | undefined }>) => void,
): void {
  if (usesEmbedded())
    describe(`${name}, on the embedded database`, () => {
      const removed = removedAfterwards()
      tests(async () => ({ dataDir: removed(await migratedDataDir()), databaseUrl: undefined }))
    })
  if (!usesPostgres()) return
  describeOnPostgres(`${name}, on a real server`, (server) =>
    tests(async () => ({ dataDir: '/nonexistent', databaseUrl: await server.createMigratedDatabase() })),
  )
}

/** Returns folders as they are given, and deletes them after the tests of the group. */
function removedAfterwards(): (folder: string) => string {
  const folders: string[] = []
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))
  return (folder) => {
    folders.push(folder)
    return folder
  }
}

/** Runs tests on the embedded database alone. */
export function describeOnEmbedded(name: string, tests: (db: () => Database) => void): void {
  describe(name, () => withDatabase(() => openEmbedded(), tests))
}

/** Like `describeOnBothEngines`, for tests of two VASPs, each with its own database. */
export function describeOnTwoDatabases(
  name: string,
  tests: (db: () => Database, otherDb: () => Database) => void,
): void {
  const withTwo = (open: Open): void => withDatabase(open, (db) => withDatabase(open, (otherDb) => tests(db, otherDb)))
  if (usesEmbedded()) describe(`${name}, on embedded databases`, () => withTwo(() => openEmbedded()))
  if (!usesPostgres()) return
  describeOnPostgres(`${name}, on a real server`, (server) => withTwo(() => openOn(server.createMigratedDatabase())))
}

/** One session of a database, with the settings of a session of the product. */
export interface Session {
  query(text: string, params?: readonly unknown[]): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/** Runs the same tests in one session on each engine, on migrated databases that nothing analyzes or vacuums by itself. */
export function describeInOneSession(name: string, tests: (session: () => Session) => void): void {
  if (usesEmbedded()) describe(`${name}, on the embedded database`, () => withOpened(openEmbeddedSession, tests))
  if (!usesPostgres()) return
  describeOnPostgres(`${name}, on a real server`, (server) =>
    withOpened(async () => openServerSession(await server.createMigratedDatabase()), tests),
  )
}

export async function openEmbeddedSession(): Promise<Session> {
  const dataDir = await migratedDataDir()
  const db = await PGlite.create(join(dataDir, 'database'), { startParams: EMBEDDED_START_PARAMS })
  return {
    query: async (text, params) => (await db.query<Record<string, unknown>>(text, params && [...params])).rows,
    close: async () => {
      await db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function openServerSession(databaseUrl: string): Promise<Session> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(SESSION_SETTINGS)
  await client.query(`set statement_timeout = 0`)
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'lightning_node')`,
  )
  for (const { name } of rows) await client.query(`alter table ${name} set (autovacuum_enabled = off)`)
  return {
    query: async (text, params) => (await client.query<Record<string, unknown>>(text, params && [...params])).rows,
    close: () => client.end(),
  }
}

/** `TEST_ENGINES=one`: tests for both engines run on PostgreSQL if there is one, otherwise on the embedded database. */
const isOneEngine = process.env.TEST_ENGINES === 'one'
const usesEmbedded = (): boolean => !isOneEngine || postgres === undefined
const usesPostgres = (): boolean => !isOneEngine || postgres !== undefined

/** Runs tests that need a real server, and reports a skip where there is none. */
export function describeOnPostgres(name: string, tests: (server: TestPostgres) => void): void {
  describeOn(postgres, name, tests)
}

/** Like `describeOnPostgres`, on a separate server, for tests that touch its files. */
export async function describeOnPrivatePostgres(name: string, tests: (server: TestPostgres) => void): Promise<void> {
  const own = await startTestPostgres({ own: true })
  afterAll(() => own?.stop())
  describeOn(own, name, tests)
}

/** Opens a new migrated database. The caller closes it. */
export async function openMigrated(server: TestPostgres): Promise<Database> {
  return openPatiently(await server.createMigratedDatabase())
}

function describeOn(server: TestPostgres | undefined, name: string, tests: (server: TestPostgres) => void): void {
  if (server === undefined) {
    console.log(NO_POSTGRES)
    test.skip(`${name} (${NO_POSTGRES})`, () => {})
    return
  }
  describe(name, () => {
    tests(server)
  })
}

type Open = () => Promise<{ db: Database; remove: () => void }>

async function openOn(databaseUrl: Promise<string>): ReturnType<Open> {
  const db = await openPatiently(await databaseUrl)
  return { db, remove: () => {} }
}

function withDatabase(open: Open, tests: (db: () => Database) => void): void {
  const openAndRemove = async () => {
    const { db, remove } = await open()
    return { db, close: async () => db.close().then(remove) }
  }
  withOpened(openAndRemove, (opened) => tests(() => opened().db))
}

/** Opens before the tests, and closes after them. */
function withOpened<Opened extends { close(): Promise<void> }>(
  open: () => Promise<Opened>,
  tests: (opened: () => Opened) => void,
): void {
  let opened: Opened | undefined
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened?.close())
  tests(() => {
    if (opened === undefined) throw new Error('the database is not open: use it only in a test or a hook')
    return opened
  })
}

async function openEmbedded(folder = migratedDataDir()): ReturnType<Open> {
  const dataDir = await folder
  const db = await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })
  return { db, remove: () => rmSync(dataDir, { recursive: true, force: true }) }
}
