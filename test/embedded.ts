import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

/** A new data folder whose embedded database is already made and empty: making one takes seconds, copying one does not. */
export async function preparedDataDir(): Promise<string> {
  const prepared = await preparedDatabase()
  const dataDir = emptyDataDir()
  cpSync(prepared, join(dataDir, 'database'), { recursive: true })
  return dataDir
}

export function emptyDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'vasp-data-'))
}

/** Kept between runs in .cache, one a PGlite version; made aside and moved, so that a broken-off run leaves no half of one. */
async function preparedDatabase(): Promise<string> {
  const { version } = JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8')) as {
    version: string
  }
  const prepared = join('.cache', `pglite-${version}`)
  if (existsSync(prepared)) return prepared
  mkdirSync('.cache', { recursive: true })
  const unfinished = mkdtempSync(`${prepared}-`)
  await (await PGlite.create(unfinished)).close()
  if (existsSync(prepared)) rmSync(unfinished, { recursive: true, force: true })
  else renameSync(unfinished, prepared)
  return prepared
}
