import { openDatabase, type Database } from '@/lib/db/database'
import type { TestPostgres } from '../postgres'

const migrated = new WeakMap<TestPostgres, Promise<string>>()

/** A database of its own, migrated: a copy, since all the migrations take as long as some hundred payments. */
export async function openMigrated(server: TestPostgres): Promise<Database> {
  const first = migrated.get(server) ?? migrate(server)
  migrated.set(server, first)
  return open(await server.createDatabase(await first))
}

async function migrate(server: TestPostgres): Promise<string> {
  const databaseUrl = await server.createDatabase()
  await (await open(databaseUrl)).close()
  return databaseUrl
}

function open(databaseUrl: string): Promise<Database> {
  return openDatabase({ databaseUrl, dataDir: '', log: () => {} })
}
