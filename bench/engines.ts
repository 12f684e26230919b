import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { openDatabase, type Database } from '@/lib/platform/db/database'
import { startTestPostgres } from '../test/postgres'
import { cpuSecondsOfFamily, memoryMbOfFamily } from './process-use'
import { versionOf } from './this-run'

export type EngineName = 'postgres' | 'embedded'

/** A database to measure on, alike on both engines. */
export interface Engine {
  readonly name: EngineName
  /** With version and durability, for reports. */
  readonly title: string
  /** What a server gets to use it. */
  readonly env: Readonly<Record<string, string>>
  /** Undefined where the database lives in the server's own process. */
  readonly url: string | undefined
  /** CPU that it has used until now, where it is a process of its own. */
  cpuSeconds(): number
  /** Memory of a database that is a process of its own, shared pages counted once. */
  memoryMb(): number
  /** Works on it from here: on the embedded one only while no server has it open. */
  withDatabase<Result>(work: (db: Database) => Promise<Result>): Promise<Result>
  /** Ends the database at once and starts it again, where it is a process of its own. */
  restart(): Promise<void>
  /** Another, empty database on the same engine. */
  sibling(): Promise<Engine>
  stop(): Promise<void>
}

/** A private server that writes through to the disk, and that can be restarted; undefined where there is none. */
export async function startPostgresEngine(): Promise<Engine | undefined> {
  const server = await startTestPostgres({ fsync: true, own: true })
  if (server === undefined) return undefined
  const make = async (stop: () => Promise<void>): Promise<Engine> => {
    const url = await server.createDatabase()
    const withDatabase: Engine['withDatabase'] = async (work) => {
      const db = await openDatabase({ databaseUrl: url, dataDir: '', log: () => {} })
      try {
        return await work(db)
      } finally {
        await db.close()
      }
    }
    return {
      name: 'postgres',
      title: await titleOf(url),
      env: { DATABASE_URL: url },
      url,
      cpuSeconds: () => cpuSecondsOfFamily(server.pid() ?? 0),
      memoryMb: () => memoryMbOfFamily(server.pid() ?? 0),
      withDatabase,
      restart: () => server.restart(),
      // On the same server, which ends with the first.
      sibling: () => make(() => Promise.resolve()),
      stop,
    }
  }
  return make(() => server.stop())
}

export async function startEmbeddedEngine(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'vasp-bench-data-'))
  const withDatabase: Engine['withDatabase'] = async (work) => {
    const db = await openDatabase({ databaseUrl: undefined, dataDir: folder, log: () => {} })
    try {
      return await work(db)
    } finally {
      await db.close()
    }
  }
  return {
    name: 'embedded',
    title: `The embedded database (PGlite ${versionOf('@electric-sql/pglite')}, no fsync)`,
    env: { DATA_DIR: folder },
    url: undefined,
    cpuSeconds: () => 0,
    memoryMb: () => 0,
    withDatabase,
    restart: () => Promise.reject(new Error('the embedded database ends with its process')),
    sibling: startEmbeddedEngine,
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Without our migrations: the bench may create the tables of another commit in it. */
async function titleOf(url: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ version: string; fsync: string; commit: string }>(
      `select current_setting('server_version') as version, current_setting('fsync') as fsync,
              current_setting('synchronous_commit') as commit`,
    )
    const [row] = rows
    return `PostgreSQL ${row?.version ?? ''}, fsync ${row?.fsync === 'on' && row.commit === 'on' ? 'on' : 'off'}`
  } finally {
    await client.end()
  }
}
