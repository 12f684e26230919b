import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startError } from '../start-error'

export interface Migration {
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file's bytes, hex: the checksum that Prisma writes. */
  readonly checksum: string
}

/**
 * The migrations in the order of their names, from Prisma's folder layout.
 * @throws Error named StartError when there are none: a server without tables could not answer.
 */
export function readMigrations(folder = join(process.cwd(), 'prisma', 'migrations')): Migration[] {
  const names = existsSync(/* turbopackIgnore: true */ folder) ? readdirSync(/* turbopackIgnore: true */ folder) : []
  const migrations = names
    .toSorted()
    .filter((name) => existsSync(join(folder, name, 'migration.sql')))
    .map((name) => {
      const bytes = readFileSync(join(folder, name, 'migration.sql'))
      return { name, sql: bytes.toString('utf8'), checksum: createHash('sha256').update(bytes).digest('hex') }
    })
  if (migrations.length === 0)
    throw startError(`There are no migrations in ${folder}: start in the repository's folder.`)
  return migrations
}
