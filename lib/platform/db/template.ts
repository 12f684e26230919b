import { createHash } from 'node:crypto'
import {
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { readMigrations } from './migration-files'

const DATABASES = join('.cache', 'databases')
const ENGINE = join('node_modules', '@electric-sql', 'pglite', 'package.json')
const TEMPLATE = 'template-'
const UNFINISHED = 'new-'
/** Until then, another command may still make or copy a folder. */
const OUTDATED_AFTER_MS = 3_600_000

/**
 * The template is a migrated database without users, money or secrets. Its name has what it was made from, so that another version of the
 * engine or another migration finds no template.
 */
export function templateName(): string {
  const migrations = readMigrations()
  const sum = createHash('sha256')
  for (const { name, checksum } of migrations) sum.update(`${name} ${checksum}\n`)
  return `${TEMPLATE}${engineVersion()}-${migrations.at(-1)?.name}-${sum.digest('hex').slice(0, 16)}`
}

/** The version of PGlite. */
export function engineVersion(): string {
  return (JSON.parse(readFileSync(inProject(ENGINE), 'utf8')) as { readonly version: string }).version
}

/** Whether `copyTemplate` has something to copy. */
export function hasTemplate(): boolean {
  return existsSync(inProject(DATABASES, templateName()))
}

/** Copies the database of the template to an empty folder. Returns false when there is no template. */
export async function copyTemplate(to: string): Promise<boolean> {
  if (!hasTemplate()) return false
  // On a file system that clones files, the copy takes no time and no space.
  const options = { recursive: true, mode: constants.COPYFILE_FICLONE }
  await cp(inProject(DATABASES, templateName(), 'database'), to, options)
  return true
}

/** A data folder that is kept in `.cache`; `make` fills a new one. */
export async function keptFolder(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const kept = inProject(DATABASES, name)
  if (existsSync(kept)) return kept
  mkdirSync(inProject(DATABASES), { recursive: true })
  removeOutdated()
  // It gets its name when it is complete. Two processes that make it at once both use the one that is complete first.
  const unfinished = mkdtempSync(inProject(DATABASES, UNFINISHED))
  try {
    await make(unfinished)
    renameSync(unfinished, kept)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(kept)) throw error
  }
  return kept
}

/** Deletes the templates of other versions, and folders of commands that were killed. */
function removeOutdated(): void {
  for (const name of readdirSync(inProject(DATABASES))) {
    const folder = inProject(DATABASES, name)
    const isKept = name === templateName() || !(name.startsWith(TEMPLATE) || name.startsWith(UNFINISHED))
    if (!isKept && Date.now() - statSync(folder).mtimeMs > OUTDATED_AFTER_MS)
      rmSync(folder, { recursive: true, force: true })
  }
}

function inProject(...path: string[]): string {
  return join(/* turbopackIgnore: true */ process.cwd(), ...path)
}
