import { PrismaPg } from '@prisma/adapter-pg'
import { Client, Pool, types as defaults, type CustomTypesConfig, type QueryResultRow } from 'pg'
import type { Database } from './database'
import { PrismaClient } from './generated/client'
import { migrate } from './migrate'
import { readMigrations } from './migration-files'
import { startError } from '../start-error'

const INT8 = 20
const INT8_ARRAY = 1016
const MOST_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 2_000
/** A request waits for no lock and no statement for ever; what is left open in a transaction is ended. */
const OPTIONS = '-c statement_timeout=5s -c lock_timeout=2s -c idle_in_transaction_session_timeout=10s'

/** Integers of 64 bits as bigint, on this pool only: Prisma brings its own parsers. */
const types: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return (value: string) => BigInt(value)
    if (oid === INT8_ARRAY) return (value: string) => value.slice(1, -1).split(',').filter(Boolean).map(BigInt)
    return defaults.getTypeParser(oid, format)
  },
}

export async function openPostgres(databaseUrl: string): Promise<Database> {
  await migrateServer(databaseUrl)
  const pool = new Pool({
    connectionString: databaseUrl,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    options: OPTIONS,
    types,
  })
  // Without a listener, the loss of an idle connection would end the process; the next query opens another.
  pool.on('error', () => undefined)
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
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
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/** On a connection of its own, since the lock belongs to a connection and waiting for it may take a while. */
async function migrateServer(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    throw startError(
      'DATABASE_URL names a server that does not answer: start it, or leave DATABASE_URL out for the embedded database.',
      error,
    )
  }
  try {
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
