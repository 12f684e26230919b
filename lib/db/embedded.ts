import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite, types } from '@electric-sql/pglite'
import type { Database } from './database'
import { PrismaClient } from './generated/client'
import { lockFolder } from './lock'
import { migrate } from './migrate'
import { readMigrations } from './migration-files'
import { SafePGliteAdapter } from './safe-pglite-adapter'
import { startError } from '../start-error'

const INT8_ARRAY = 1016
/** There is one connection: transactions queue, and none may be given up on while it waits its turn. */
const PATIENT = { maxWait: 20_000, timeout: 20_000 }

const parsers = {
  [types.INT8]: (value: string) => BigInt(value),
  [INT8_ARRAY]: (value: string) => value.slice(1, -1).split(',').filter(Boolean).map(BigInt),
}

/** PostgreSQL in this process, with its files in `<dataDir>/database`, for one process at a time. */
export async function openEmbedded(dataDir: string, log: (message: string) => void): Promise<Database> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockFolder(dataDir)
  try {
    const db = await openFolder(join(dataDir, 'database'), log)
    await migrateEmbedded(db)
    return handleOf(db, () => lock.release())
  } catch (error) {
    lock.release()
    throw error
  }
}

/** An in-memory database with every migration applied, for tests that need no folder. */
export async function openInMemory(): Promise<Database & { readonly pglite: PGlite }> {
  const db = await PGlite.create({ parsers })
  await migrateEmbedded(db)
  return Object.assign(
    handleOf(db, () => undefined),
    { pglite: db },
  )
}

async function openFolder(folder: string, log: (message: string) => void): Promise<PGlite> {
  const isNew = !existsSync(folder)
  if (isNew) log('Making the embedded database, up to 20 seconds the first time …')
  try {
    return await PGlite.create(folder, { parsers })
  } catch (error) {
    if (isNew) throw error
    throw startError(
      `The embedded database in ${folder} cannot be opened. It was left as it is: restore a copy of the folder, or \`npm run demo -- --reset\` to start over.`,
      error,
    )
  }
}

async function migrateEmbedded(db: PGlite): Promise<void> {
  await migrate(
    {
      exec: async (sql) => void (await db.exec(sql)),
      query: async (sql, params) => (await db.query<Record<string, unknown>>(sql, params)).rows,
    },
    readMigrations(),
  )
}

function handleOf(db: PGlite, onClose: () => void): Database {
  const prisma = new PrismaClient({ adapter: new SafePGliteAdapter(db), transactionOptions: PATIENT })
  return {
    kind: 'embedded',
    prisma,
    async query<Row>(statement: { text: string }, params: readonly unknown[] = []) {
      return (await db.query<Row>(statement.text, [...params])).rows
    },
    async close() {
      await prisma.$disconnect()
      await db.close()
      onClose()
    },
  }
}
