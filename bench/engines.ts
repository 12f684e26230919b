import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@/lib/db/database'
import { startTestPostgres } from '../test/postgres'
import { loadEmbeddedHistory, loadHistory } from './history'
import { cpuSecondsOfFamily } from './process-use'

export type EngineName = 'postgres' | 'embedded'

/** A database to measure on, alike on both engines. */
export interface Engine {
  readonly name: EngineName
  /** Whether each commit is written through to the disk. */
  readonly fsync: boolean
  readonly version: string
  /** What a server gets to use it. */
  readonly env: Readonly<Record<string, string>>
  /** Undefined where the database lives in the server's own process. */
  readonly url: string | undefined
  /** CPU that it has used until now, where it is a process of its own. */
  cpuSeconds(): number
  /** Works on it from here: on the embedded one only while no server has it open. */
  withDatabase<Result>(work: (db: Database) => Promise<Result>): Promise<Result>
  addHistory(
    person: { readonly username: string; readonly walletId: bigint; readonly snapshotId: string },
    rows: number,
  ): Promise<void>
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
    const setting = (name: string): Promise<string> =>
      withDatabase(async (db) => {
        const [row] = await db.query<Record<string, string>>({ name: `show_${name}`, text: `show ${name}` })
        return row?.[name] ?? ''
      })
    return {
      name: 'postgres',
      fsync: (await setting('fsync')) === 'on' && (await setting('synchronous_commit')) === 'on',
      version: await setting('server_version'),
      env: { DATABASE_URL: url },
      url,
      cpuSeconds: () => cpuSecondsOfFamily(server.pid() ?? 0),
      withDatabase,
      addHistory: (person, rows) => loadHistory(url, person, rows),
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
  const version = await withDatabase(async (db) => {
    const [row] = await db.query<{ server_version: string }>({ name: 'show_version', text: 'show server_version' })
    return row?.server_version ?? ''
  })
  return {
    name: 'embedded',
    fsync: false,
    version,
    env: { DATA_DIR: folder },
    url: undefined,
    cpuSeconds: () => 0,
    withDatabase,
    addHistory: (person, rows) => withDatabase((db) => loadEmbeddedHistory(db, person, rows)),
    restart: () => Promise.reject(new Error('the embedded database ends with its process')),
    sibling: startEmbeddedEngine,
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}
