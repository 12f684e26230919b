import { createHash } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { readMigrations } from '@/lib/platform/db/migration-files'
import { openDatabase } from '@/lib/platform/db/open-database'
import { copyDatabase, dataDirWith, engine, keptDatabase, preparedDataDir } from './embedded'

/** A new data folder with an embedded database that has every migration. Applying them takes longer than most tests. */
export async function migratedDataDir(): Promise<string> {
  return dataDirWith(await keptMigrated())
}

/** Copies the same database into a data folder without one. */
export async function addMigratedDatabase(dataDir: string): Promise<void> {
  copyDatabase(await keptMigrated(), dataDir)
}

function keptMigrated(): Promise<string> {
  return keptDatabase(`${engine()}-${sumOfMigrations()}`, async (folder) => {
    const dataDir = await preparedDataDir()
    await (await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })).close()
    cpSync(dataDir, folder, { recursive: true })
    rmSync(dataDir, { recursive: true, force: true })
  })
}

function sumOfMigrations(): string {
  const sum = createHash('sha256')
  for (const { name, checksum } of readMigrations()) sum.update(`${name} ${checksum}\n`)
  return sum.digest('hex').slice(0, 16)
}
