import { PrismaPg } from '@prisma/adapter-pg'
import { Client, Pool, types as defaults, type ClientBase, type CustomTypesConfig, type QueryResultRow } from 'pg'
import type { Database } from './database'
import { PrismaClient } from './generated/client'
import { INT8_ARRAY_OID, INT8_OID, decodeInt8, decodeInt8Array } from './int8'
import { migrate } from './migrate'
import { makePgListener } from './postgres-listener'
import { readMigrations } from './migration-files'
import { sqlState } from './sql-state'
import { startError } from '../start-error'

const MAX_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 2_000
/** At a start nobody waits for an answer yet, and a server that is busy, or up again this moment, may take its time. */
const START_CONNECT_TIMEOUT_MS = 10_000
/** Longer than any statement may take on the server, for a server that is gone without a word. */
const ANSWER_TIMEOUT_MS = 8_000
/** Another instance may be migrating; one that takes longer needs an operator. */
const MIGRATION_LOCK_TIMEOUT = '60s'

/**
 * Set on each new connection rather than in the URL's `options`, which a DATABASE_URL may use for itself. A request waits
 * for no lock and no statement for ever; what is left open in a transaction is ended. The adapter reads every time as UTC.
 * Statements are short: compiling one would take longer than running it. What they read is in memory, so an index is
 * taken on a small table too: a plan that scans one would be kept while the table grows.
 */
const SESSION = `
  set timezone = 'UTC';
  set jit = off;
  set random_page_cost = 1.1;
  set statement_timeout = '5s';
  set lock_timeout = '2s';
  set idle_in_transaction_session_timeout = '10s'`

/** Integers of 64 bits as bigint, on this pool only: Prisma brings its own parsers. */
const types: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8_OID) return decodeInt8
    if (oid === INT8_ARRAY_OID) return decodeInt8Array
    return defaults.getTypeParser(oid, format)
  },
}

/** A pool on a PostgreSQL server, its tables brought up to date first. */
export async function openPostgres(databaseUrl: string, log: (message: string) => void): Promise<Database> {
  await migrateServer(databaseUrl)
  const pool = new Pool({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    onConnect: (client: ClientBase): unknown => client.query(SESSION),
    types,
  })
  // Without a listener, the loss of an idle connection would end the process; the next query opens another.
  pool.on('error', () => log('A database connection was lost; the next query opens another.'))
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  const ears = makePgListener(databaseUrl, log)
  return {
    kind: 'postgres',
    prisma,
    async query<Row>(statement: { name: string; text: string }, params: readonly unknown[] = []) {
      const { rows } = await pool.query<Row & QueryResultRow>({
        name: statement.name,
        text: statement.text,
        values: [...params],
      })
      return rows
    },
    listen: (channel, onMessage) => ears.listen(channel, onMessage),
    async close() {
      ears.close()
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/** On a connection of its own, since the lock belongs to a connection and waiting for it may take a while. */
async function migrateServer(databaseUrl: string): Promise<void> {
  const client = await connect(databaseUrl)
  try {
    await client.query(`set lock_timeout = '${MIGRATION_LOCK_TIMEOUT}'`)
    await migrate(
      {
        exec: async (sql) => void (await client.query(sql)),
        query: async (sql, params) => (await client.query<Record<string, unknown>>(sql, params)).rows,
      },
      readMigrations(),
    )
  } finally {
    await client.end()
  }
}

/** The names of the migrations that a server lacks; nothing is changed on it. */
export async function missingMigrations(databaseUrl: string): Promise<string[]> {
  const client = await connect(databaseUrl)
  try {
    const { rows } = await client.query<{ there: boolean }>(
      `select to_regclass('_prisma_migrations') is not null as there`,
    )
    const history = `select migration_name from _prisma_migrations where rolled_back_at is null`
    const done = rows[0]?.there === true ? (await client.query<{ migration_name: string }>(history)).rows : []
    return readMigrations()
      .map(({ name }) => name)
      .filter((name) => !done.some((row) => row.migration_name === name))
  } finally {
    await client.end()
  }
}

async function connect(databaseUrl: string): Promise<Client> {
  try {
    const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: START_CONNECT_TIMEOUT_MS })
    client.on('error', () => undefined)
    await client.connect()
    return client
  } catch (error) {
    throw startError(
      `DATABASE_URL: ${reason(error)}. Mend it, or leave DATABASE_URL out for the embedded database.`,
      error,
    )
  }
}

/** Without the driver's own words where they could quote the URL, which holds a password. */
function reason(error: unknown): string {
  const { code } = error as { code?: unknown }
  if (sqlState(error) !== undefined) return `the server refuses (${(error as Error).message})`
  return typeof code === 'string' ? `no server answers there (${code})` : 'no server answers there'
}
