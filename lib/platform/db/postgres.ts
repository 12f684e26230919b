import { PrismaPg } from '@prisma/adapter-pg'
import { Client, types as defaults, Pool, type ClientBase, type CustomTypesConfig, type QueryResultRow } from 'pg'
import { noteFailure, type Answers } from './answers'
import type { Database, DatabaseSettings } from './database'
import { PrismaClient } from './generated/client'
import { readHistory, requireHistory } from './history'
import { decodeInt8, decodeInt8Array, INT8_ARRAY_OID, INT8_OID } from './int8'
import { migrate } from './migrate'
import { readMigrations } from './migration-files'
import { requireOwnSession, requireWritable } from './own-session'
import { makePgListener } from './postgres-listener'
import { readSessionName, SESSION_PREFIX, type Instance } from './session-name'
import { connectionStartError, databaseStartError, requireVersion } from './start-failure'
import { PRISMA, SLOW_STATEMENT_MS, type OnSlowStatement } from './statement'

const MAX_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 2_000
/**
 * Longer than for queries: no client waits at startup, and a server that is busy or has just started may need more
 * time.
 */
const START_CONNECT_TIMEOUT_MS = 10_000
/**
 * Longer than any statement may run on the server. This timeout detects a server that has gone without closing the connection.
 */
const ANSWER_TIMEOUT_MS = 8_000
/** Another instance may be migrating. A migration that takes longer needs an operator. */
const MIGRATION_LOCK_TIMEOUT = '60s'

/**
 * Set on each new connection rather than in the URL's `options`, which a DATABASE_URL may use itself. Lock waits,
 * statements and idle transactions are limited in time. The adapter reads every time as UTC. Statements are short, so
 * JIT compilation would take longer than running them. `random_page_cost` is low, so that the planner uses an index on a
 * small table too: it keeps the plan of a prepared statement while the table grows. The tables fit in memory.
 */
export const SESSION_SETTINGS = `
  set timezone = 'UTC';
  set jit = off;
  set random_page_cost = 1.1;
  set statement_timeout = '5s';
  set lock_timeout = '2s';
  set idle_in_transaction_session_timeout = '10s'`

/** 64-bit integers as bigint, on this pool only: Prisma has its own parsers. */
const types: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8_OID) return decodeInt8
    if (oid === INT8_ARRAY_OID) return decodeInt8Array
    return defaults.getTypeParser(oid, format)
  },
}

/**
 * Migrates the database on a PostgreSQL server and opens a pool of connections to it. `connectTimeoutMs` is a parameter for
 * tests on a busy machine. No setting changes it.
 */
export async function openPostgres(
  databaseUrl: string,
  {
    log,
    sessionName,
    onStep = () => {},
    onSlowStatement = () => {},
    onReplaced = () => {},
  }: Omit<DatabaseSettings, 'databaseUrl' | 'dataDir'>,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
): Promise<Database> {
  const history = await migrateServer(databaseUrl, onStep)
  const pool = new Pool({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    application_name: sessionName,
    async onConnect(client: ClientBase) {
      await client.query(SESSION_SETTINGS)
      await requireHistory(client, history, onReplaced)
    },
    types,
  })
  // Without a listener, the loss of an idle connection would end the process. The next query opens another connection.
  pool.on('error', () => log('A database connection was lost; the next query opens another.'))
  const answers: Answers = {}
  pool.on('connect', (client) => watchStatements(client, onSlowStatement, answers))
  // The start of a transaction waits for a connection and for one answer. Prisma's own limit of 2 s would end it earlier.
  const transactionOptions = { maxWait: connectTimeoutMs + ANSWER_TIMEOUT_MS }
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions })
  const listener = makePgListener(databaseUrl, log, connectTimeoutMs)
  return {
    kind: 'postgres',
    prisma,
    async query<Row>(statement: { name: string; text: string }, params: readonly unknown[] = []) {
      const { name, text } = statement
      const values = [...params]
      // A refused connection is seen here only.
      const { rows } = await pool.query<Row & QueryResultRow>({ name, text, values }).catch((error: unknown) => {
        noteFailure(answers, error, performance.now())
        throw error
      })
      return rows
    },
    answers,
    listen: (channel, onMessage) => listener.listen(channel, onMessage),
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      listener.close()
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/**
 * Times each statement from sending it to its result, and notes the result, for the callback of the pool and for the promise of a
 * transaction.
 */
function watchStatements(client: ClientBase, onSlow: OnSlowStatement, answers: Answers): void {
  const send = client.query.bind(client) as (...args: unknown[]) => unknown
  const watched = (...args: unknown[]): unknown => {
    const [query] = args as [{ readonly name?: string }]
    const startedAt = performance.now()
    const end = (error?: unknown): void => {
      const endedAt = performance.now()
      if (error === undefined || error === null) answers.lastMs = endedAt
      else noteFailure(answers, error, endedAt)
      const ms = endedAt - startedAt
      if (ms > SLOW_STATEMENT_MS) onSlow(query.name ?? PRISMA, Math.round(ms))
    }
    const callback = args.at(-1)
    if (typeof callback !== 'function') {
      const result = send(...args) as Promise<unknown>
      result.then(() => end(), end)
      return result
    }
    const withEnd = (...result: unknown[]): void => {
      end(result[0])
      callback(...result)
    }
    return send(...args.slice(0, -1), withEnd)
  }
  client.query = watched as ClientBase['query']
}

/**
 * Uses its own connection, because the lock belongs to a connection and the wait for it may be long.
 * @returns the history of commits that this process continues.
 */
async function migrateServer(databaseUrl: string, onStep: (step: string) => void): Promise<string> {
  onStep('Connecting to the PostgreSQL server')
  const client = await connect(databaseUrl)
  try {
    requireVersion(await versionOf(client))
    await requireOwnSession(client, () => connect(databaseUrl))
    await requireWritable(client)
    await client.query(`set lock_timeout = '${MIGRATION_LOCK_TIMEOUT}'`)
    await migrate(
      {
        exec: async (sql) => void (await client.query(sql)),
        query: async (sql, params) => (await client.query<Record<string, unknown>>(sql, params)).rows,
      },
      readMigrations(),
      onStep,
    )
    return await readHistory(client)
  } catch (error) {
    throw databaseStartError(error) ?? error
  } finally {
    await client.end()
  }
}

/** The names of the migrations that the database lacks. Changes nothing. */
export async function missingMigrations(databaseUrl: string): Promise<string[]> {
  const client = await connect(databaseUrl)
  try {
    requireVersion(await versionOf(client))
    const { rows } = await client.query<{ there: boolean }>(
      `select to_regclass('_prisma_migrations') is not null as there`,
    )
    const history = `select migration_name from _prisma_migrations where rolled_back_at is null`
    const done = rows[0]?.there === true ? (await client.query<{ migration_name: string }>(history)).rows : []
    return readMigrations()
      .map(({ name }) => name)
      .filter((name) => !done.some((row) => row.migration_name === name))
  } catch (error) {
    throw databaseStartError(error) ?? error
  } finally {
    await client.end()
  }
}

/** The instances with a session on the database, by their port. Changes nothing. */
export async function instancesOn(databaseUrl: string): Promise<Instance[]> {
  const client = await connect(databaseUrl)
  try {
    const { rows } = await client.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity
       where datname = current_database() and starts_with(application_name, $1)`,
      [SESSION_PREFIX],
    )
    const found = rows.map(({ name }) => readSessionName(name)).filter((each) => each !== undefined)
    return found.toSorted((one, other) => one.port - other.port || one.host.localeCompare(other.host))
  } finally {
    await client.end()
  }
}

/** In the form of `server_version_num`: 150004 is 15.4. */
async function versionOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  )
  return rows[0]?.version ?? 0
}

async function connect(databaseUrl: string): Promise<Client> {
  let client: Client | undefined
  try {
    client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: START_CONNECT_TIMEOUT_MS })
    client.on('error', () => undefined)
    await client.connect()
    return client
  } catch (error) {
    await client?.end().catch(() => undefined)
    throw connectionStartError(error)
  }
}
