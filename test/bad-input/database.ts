import { rmSync } from 'node:fs'
import { openDatabase, type Database } from '@/lib/db/database'
import { migratedDataDir } from '../migrated'
import { startTestPostgres } from '../postgres'

/** A real server where there is one, which is several times faster; else the embedded database. */
export async function openForInputs(): Promise<{ readonly db: Database; close(): Promise<void> }> {
  const postgres = await startTestPostgres()
  if (postgres !== undefined) {
    const db = await openDatabase({ databaseUrl: await postgres.createDatabase(), dataDir: '', log: () => {} })
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
