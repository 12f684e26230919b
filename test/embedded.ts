import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { newDatabaseFolder } from './database-folder'

const DATABASE = 'database'

/** A new data folder whose embedded database is already made and empty: making one takes seconds, copying one does not. */
export async function preparedDataDir(): Promise<string> {
  return dataDirWith(
    await keptDatabase(engine(), async (folder) => {
      await (await PGlite.create(join(folder, DATABASE))).close()
    }),
  )
}

/** A new data folder whose embedded database was filled by a dump in SQL. */
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

/** A new data folder with a copy of the database in another. */
export function dataDirWith(other: string): string {
  const dataDir = emptyDataDir()
  copyDatabase(other, dataDir)
  return dataDir
}

/** Both are data folders; the second has no database yet. */
export function copyDatabase(from: string, to: string): void {
  cpSync(join(from, DATABASE), join(to, DATABASE), { recursive: true })
}

/** What the kept databases were made by. */
export function engine(): string {
  const { version } = JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8')) as {
    version: string
  }
  return `pglite-${version}`
}

/**
 * A data folder that is kept between runs in .cache; `make` fills a new one. Made aside and moved, so that a broken-off
 * run leaves no half of one, and two that make it at once agree on the first.
 */
export async function keptDatabase(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const kept = join('.cache', 'databases', name)
  if (existsSync(kept)) return kept
  mkdirSync(join(kept, '..'), { recursive: true })
  const unfinished = mkdtempSync(`${kept}-`)
  await make(unfinished)
  try {
    renameSync(unfinished, kept)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(kept)) throw error
  }
  return kept
}
