import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { openDatabase } from '@/lib/platform/db/open-database'
import { unprivilegedUser } from '../programs/debian'
import { freePort } from '../programs/free-port'
import { newDatabaseFolder } from './database-folder'

/** What a test prints when it cannot run against a real server. */
export const NO_POSTGRES = 'skipped: no Postgres'

export interface TestPostgres {
  /** A URL for statements on the server itself. */
  readonly adminUrl: string
  /** Returns the URL of a new, empty database. */
  createDatabase(): Promise<string>
  /** Returns the URL of a new database that has every migration. A copy of a template takes a tenth of the time. */
  createMigratedDatabase(): Promise<string>
  /** Returns the URL of a copy, as `pg_dump` and `pg_restore` make it. No client may be connected to the original. */
  copy(databaseUrl: string): Promise<string>
  /** Returns the URL of a new database that a dump in SQL has filled. */
  restore(dump: string): Promise<string>
  /** Process id of the server, when this process started it. */
  pid(): number | undefined
  /** Kills the server, as in a crash of the machine, and starts it again on the same files and port. */
  restart(): Promise<void>
  /** Removes what was created: the databases, and the server when this process started it. */
  stop(): Promise<void>
}

/** A server that another process started. */
export interface SharedPostgres {
  readonly adminUrl: string
  /** A migrated database that no client is connected to. */
  readonly templateUrl: string
}

export interface ServerOptions {
  /** Whether each commit is synced to disk, as on a production server. Tests normally run without. */
  readonly fsync?: boolean
  /** Starts a private server even if TEST_DATABASE_URL names another one, for tests that touch its files. */
  readonly own?: boolean
}

interface Server {
  readonly adminUrl: string
  pid(): number | undefined
  restart(): Promise<void>
  /** `databases`: names of the created ones. */
  stop(databases: readonly string[]): Promise<void>
}

const START_PATIENCE_MS = 20_000
const PORTS_TRIED = 3

/**
 * A real PostgreSQL for tests: the server of TEST_DATABASE_URL, or a private one on a free port with its files in a
 * temporary folder. Undefined where there is neither; the caller then reports NO_POSTGRES.
 */
export async function startTestPostgres(options: ServerOptions = {}): Promise<TestPostgres | undefined> {
  const given = process.env.TEST_DATABASE_URL
  const isPrivate = options.own === true || given === undefined || given === ''
  const server = isPrivate ? await startPrivateServer(options) : foreignServer(given)
  return server === undefined ? undefined : databasesOn(server)
}

/** The databases of this process on a server that another process started. `stop` drops them. */
export function joinTestPostgres({ adminUrl, templateUrl }: SharedPostgres): TestPostgres {
  return databasesOn(foreignServer(adminUrl), Promise.resolve(templateUrl))
}

function databasesOn(server: Server, template?: Promise<string>): TestPostgres {
  const names: string[] = []
  let migrated = template
  const create = async (copyOf?: string): Promise<string> => {
    const name = `vasp_test_${randomBytes(6).toString('hex')}`
    const copy = copyOf === undefined ? '' : ` template ${new URL(copyOf).pathname.slice(1)}`
    await administer(server.adminUrl, [`create database ${name}${copy}`])
    names.push(name)
    const url = new URL(server.adminUrl)
    url.pathname = `/${name}`
    return url.href
  }
  return {
    adminUrl: server.adminUrl,
    pid: () => server.pid(),
    restart: () => server.restart(),
    createDatabase: () => create(),
    copy: (databaseUrl) => create(databaseUrl),
    async createMigratedDatabase() {
      migrated ??= create().then(migrate)
      return create(await migrated)
    },
    async restore(dump) {
      const databaseUrl = await create()
      await administer(databaseUrl, [dump])
      return databaseUrl
    },
    stop: () => server.stop(names.splice(0)),
  }
}

async function migrate(databaseUrl: string): Promise<string> {
  await (await openDatabase({ databaseUrl, dataDir: '', log: () => {} })).close()
  return databaseUrl
}

async function administer(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 60_000 })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function startPrivateServer({ fsync = false }: ServerOptions): Promise<Server | undefined> {
  const programs = findPrograms()
  const user = unprivilegedUser()
  if (programs === undefined || user === 'none') return undefined
  // A server that writes through to the disk needs a disk.
  const folder = fsync ? mkdtempSync(join(tmpdir(), 'vasp-postgres-')) : newDatabaseFolder('vasp-postgres-')
  const password = randomBytes(12).toString('hex')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user !== undefined) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid)
  const data = join(folder, 'data')
  execFileSync(
    join(programs, 'initdb'),
    [
      '--pgdata',
      data,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--no-locale',
      '--no-sync',
    ],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], timeout: 120_000 },
  )
  // A time zone other than UTC, as on many servers: no code may depend on the time zone.
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    // Full-page writes protect against a page that a crash of the machine left half written. Tests kill only processes.
    ...(fsync ? ['fsync=on'] : ['fsync=off', 'full_page_writes=off']),
    'timezone=America/New_York',
  ]
  const start = (port: number): ChildProcess =>
    spawn(
      join(programs, 'postgres'),
      ['-D', data, ...[`port=${port}`, ...settings].flatMap((setting) => ['-c', setting])],
      { ...user, cwd: folder, stdio: 'ignore' },
    )
  const urlOf = (port: number): string => `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`
  let server: ChildProcess | undefined
  const end = (): void => {
    server?.kill('SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', end)
  const port = await startOnAFreePort((at) => (server = start(at)), urlOf)
  const adminUrl = urlOf(port)
  const stopped = async (): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGQUIT')
    await ended
  }
  return {
    adminUrl,
    pid: () => server?.pid,
    async restart() {
      await stopped()
      server = start(port)
      await untilItAnswers(adminUrl, server)
    },
    async stop() {
      process.off('exit', end)
      // Its files are deleted with it, so it need not shut down cleanly.
      await stopped()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A free port may be taken before the server opens it. Then another one is tried. */
async function startOnAFreePort(
  start: (port: number) => ChildProcess,
  urlOf: (port: number) => string,
): Promise<number> {
  for (let left = PORTS_TRIED; ; left--) {
    const port = await freePort()
    const server = start(port)
    try {
      await untilItAnswers(urlOf(port), server)
      return port
    } catch (error) {
      const wasThere = server.kill('SIGQUIT')
      if (wasThere || left === 1) throw error
    }
  }
}

/** A server of another process. This process neither stops nor restarts it. */
function foreignServer(adminUrl: string): Server {
  return {
    adminUrl,
    pid: () => undefined,
    restart: () => Promise.reject(new Error('the server of TEST_DATABASE_URL is not ours to restart')),
    stop: (databases) =>
      administer(
        adminUrl,
        databases.map((name) => `drop database if exists ${name} with (force)`),
      ),
  }
}

/** The folder with initdb and postgres. Debian keeps them outside PATH, in one folder for each version. */
export function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

export async function untilItAnswers(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_PATIENCE_MS
  for (;;) {
    try {
      return await administer(url, ['select 1'])
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error
      await sleep(50)
    }
  }
}
