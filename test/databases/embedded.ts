import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { newDatabaseFolder } from './database-folder'

const DATABASE = 'database'

/** A new data folder with an empty embedded database, copied because creating one takes seconds. */
export async function preparedDataDir(): Promise<string> {
  return dataDirWith(
    await keptDatabase(engine(), async (folder) => {
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

/** The version of the engine that created the kept databases. */
export function engine(): string {
  const { version } = JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8')) as {
    version: string
  }
  return `pglite-${version}`
}

/**
 * A data folder that is kept in .cache between runs; `make` fills a new one. It is created in a temporary folder and
 * moved, so that an interrupted run leaves no partial folder. Two concurrent runs both use the folder that is moved first.
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
