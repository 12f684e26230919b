import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { startTestPostgres } from '../test/databases/postgres'
import { cpuSecondsOfFamily } from './process-use'
import { versionOf } from './this-run'

export type EngineName = 'postgres' | 'embedded'

/** A database to measure on, with one interface for both engines. */
export interface Engine {
  readonly name: EngineName
  /** With version and durability, for reports. */
  readonly title: string
  /** The settings with which a server uses the database. */
  readonly env: Readonly<Record<string, string>>
  /** Undefined if the database runs in the server's own process. */
  readonly url: string | undefined
  /** CPU that the database has used so far, if it is a separate process. */
  cpuSeconds(): number
  /** Opens the database in this process. The embedded one can be opened only while no server has it open. */
  withDatabase<Result>(work: (db: Database) => Promise<Result>): Promise<Result>
  /** Kills the database and starts it again, if it is a separate process. */
  restart(): Promise<void>
  /** Another, empty database on the same engine. */
  sibling(): Promise<Engine>
  stop(): Promise<void>
}

/** A private server that syncs to disk and can be restarted. Undefined when PostgreSQL is missing. */
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
      withDatabase,
      restart: () => server.restart(),
      // On the same server, which stops with the first database.
      sibling: () => make(() => Promise.resolve()),
      stop,
    }
  }
  return make(() => server.stop())
}

export async function startEmbeddedEngine(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'vasp-bench-data-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
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
    withDatabase,
    restart: () => Promise.reject(new Error('the embedded database ends with its process')),
    sibling: startEmbeddedEngine,
    async stop() {
      process.off('exit', remove)
      remove()
    },
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
