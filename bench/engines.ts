import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { startTestPostgres } from '../test/databases/postgres'
import { cpuSecondsOfFamily } from './process-use'
import { onServer } from './statements'
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
    return {
      name: 'postgres',
      title: await titleOf(url),
      env: { DATABASE_URL: url },
      url,
      cpuSeconds: () => cpuSecondsOfFamily(server.pid() ?? 0),
      withDatabase: (work) => withOpen({ databaseUrl: url, dataDir: '' }, work),
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
  return {
    name: 'embedded',
    title: `The embedded database (PGlite ${versionOf('@electric-sql/pglite')}, no fsync)`,
    env: { DATA_DIR: folder },
    url: undefined,
    cpuSeconds: () => 0,
    withDatabase: (work) => withOpen({ databaseUrl: undefined, dataDir: folder }, work),
    restart: () => Promise.reject(new Error('the embedded database ends with its process')),
    sibling: startEmbeddedEngine,
    async stop() {
      process.off('exit', remove)
      remove()
    },
  }
}

async function withOpen<Result>(
  place: { readonly databaseUrl: string | undefined; readonly dataDir: string },
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const db = await openDatabase({ ...place, log: () => {} })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** Without our migrations: the bench may create the tables of another commit in it. */
async function titleOf(url: string): Promise<string> {
  const [row] = await onServer(url, (run) =>
    run(`select current_setting('server_version') as version,
                current_setting('fsync') = 'on' and current_setting('synchronous_commit') = 'on' as syncs`),
  )
  return `PostgreSQL ${String(row?.['version'])}, fsync ${row?.['syncs'] === true ? 'on' : 'off'}`
}
