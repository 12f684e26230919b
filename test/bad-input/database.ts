import { rmSync } from 'node:fs'
import { inject } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { migratedDataDir } from '../databases/migrated'
import { joinTestPostgres } from '../databases/postgres'

/** A real server if one is available, because it is several times faster; otherwise the embedded database. */
export async function openForInputs(): Promise<{ readonly db: Database; close(): Promise<void> }> {
  const shared = inject('postgres')
  if (shared !== undefined) {
    const postgres = joinTestPostgres(shared)
    const databaseUrl = await postgres.createMigratedDatabase()
    const db = await openDatabase({ databaseUrl, dataDir: '', log: () => {} })
    return {
      db,
      async close() {
        await db.close()
        await postgres.stop()
      },
    }
  }
  const dataDir = await migratedDataDir()
  const db = await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })
  return {
    db,
    async close() {
      await db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
