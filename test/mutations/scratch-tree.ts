import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { mutated, type Mutation } from './mutation'

const LEFT_OUT = new Set(['.cache', '.data', '.git', '.next', 'node_modules', 'playwright-report', 'test-results'])
const FUNCTIONS = 'prisma/functions/'
/** After every other migration. */
const MIGRATION = 'prisma/migrations/99999999999999_mutation/migration.sql'

/** A copy of the working tree, in which faults are planted. The working tree itself is never changed. */
export interface ScratchTree {
  readonly folder: string
  /** Of every copied file. */
  readonly hash: string
}

/** Replaces an earlier copy, also one that a killed run has left. */
export function copyTree(folder: string): ScratchTree {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const hash = createHash('sha256')
  for (const name of readdirSync('.')
    .filter((each) => !LEFT_OUT.has(each))
    .toSorted()) {
    cpSync(name, join(folder, name), { recursive: true })
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).toSorted(byPath)) {
    if (entry.isFile()) hash.update(pathOf(entry)).update(readFileSync(pathOf(entry)))
  }
  linkPackages(folder)
  return { folder, hash: hash.digest('hex') }
}

interface Entry {
  readonly parentPath: string
  readonly name: string
}
const pathOf = ({ parentPath, name }: Entry): string => join(parentPath, name)
const byPath = (one: Entry, other: Entry): number => (pathOf(one) < pathOf(other) ? -1 : 1)

/** Links each package by itself, so that the packages of this repository are those of the copy. */
function linkPackages(folder: string): void {
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync('node_modules').filter((each) => !each.startsWith('.'))) {
    const own = join(folder, 'packages', name)
    symlinkSync(
      resolve(existsSync(own) ? own : join('node_modules', name)),
      join(folder, 'node_modules', name),
      'junction',
    )
  }
}

/**
 * Plants the fault while `run` runs. A fault in an SQL function is a migration after the others too, because the tests create their
 * databases from the migrations.
 */
export async function withFault<Result>(
  { folder }: ScratchTree,
  mutation: Mutation,
  run: () => Promise<Result>,
): Promise<Result> {
  const path = join(folder, mutation.file)
  const source = readFileSync(path, 'utf8')
  const text = mutated(source, mutation)
  const migration = join(folder, MIGRATION)
  writeFileSync(path, text)
  if (mutation.file.startsWith(FUNCTIONS)) {
    mkdirSync(dirname(migration), { recursive: true })
    writeFileSync(migration, text)
  }
  try {
    return await run()
  } finally {
    writeFileSync(path, source)
    rmSync(dirname(migration), { recursive: true, force: true })
  }
}
