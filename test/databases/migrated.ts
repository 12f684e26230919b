import { makeTemplate } from '@/lib/platform/db/make-template'
import { copyDatabase, dataDirWith } from './embedded'

/** A new data folder with an embedded database that has every migration. Applying them takes longer than most tests. */
export async function migratedDataDir(): Promise<string> {
  return dataDirWith(await makeTemplate())
}

/** Copies the same database into a data folder without one. */
export async function addMigratedDatabase(dataDir: string): Promise<void> {
  copyDatabase(await makeTemplate(), dataDir)
}
