import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { engineVersion, keptFolder } from '@/lib/platform/db/template'
import { newDatabaseFolder } from './database-folder'

const DATABASE = 'database'

/** A new data folder with an empty embedded database, copied because creating one takes seconds. */
export async function preparedDataDir(): Promise<string> {
  return dataDirWith(
    await keptFolder(`empty-${engineVersion()}`, async (folder) => {
      await (await PGlite.create(join(folder, DATABASE))).close()
    }),
  )
}

/** A new data folder with an embedded database that an SQL dump has filled. */
export async function restoredDataDir(dump: string): Promise<string> {
  const dataDir = await preparedDataDir()
  const db = await PGlite.create(join(dataDir, DATABASE))
  await db.exec(dump)
  await db.close()
  return dataDir
}

export function emptyDataDir(): string {
  return newDatabaseFolder('vasp-data-')
}

/** A new data folder with a copy of another folder's database. */
export function dataDirWith(other: string): string {
  const dataDir = emptyDataDir()
  copyDatabase(other, dataDir)
  return dataDir
}

/** Copies a database between data folders. The target has no database yet. */
export function copyDatabase(from: string, to: string): void {
  cpSync(join(from, DATABASE), join(to, DATABASE), { recursive: true })
}
