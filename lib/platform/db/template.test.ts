import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copyTemplate, hasTemplate, keptFolder, templateName } from './template'

const DATABASES = '.cache/databases'
const TWO_HOURS_AGO = new Date(Date.now() - 7_200_000)

const before = process.cwd()
let project: string

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'template-'))
  process.chdir(project)
  setEngine('1.0.0')
  write('prisma/migrations/20260101_first/migration.sql', 'create table first ()')
})
afterEach(() => {
  process.chdir(before)
  rmSync(project, { recursive: true, force: true })
})

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function setEngine(version: string): void {
  write('node_modules/@electric-sql/pglite/package.json', JSON.stringify({ version }))
}

/** A template whose database is one file. */
const make = (): Promise<string> =>
  keptFolder(templateName(), async (folder) => write(join(folder, 'database', 'base', '1'), 'rows'))

const kept = (): string[] => readdirSync(DATABASES).toSorted()

test('A template is made once, and its database is copied', async () => {
  const folder = await make()
  expect(await keptFolder(templateName(), () => Promise.reject(new Error('made twice')))).toBe(folder)
  mkdirSync('data')
  expect(await copyTemplate('data')).toBe(true)
  expect(readFileSync('data/base/1', 'utf8')).toBe('rows')
  expect(kept()).toEqual([expect.stringMatching(/^template-1\.0\.0-20260101_first-[0-9a-f]{16}$/)])
})

test.each([
  ['another version of the engine', () => setEngine('1.0.1')],
  ['another migration', () => write('prisma/migrations/20260102_second/migration.sql', 'create table second ()')],
  ['a changed migration', () => write('prisma/migrations/20260101_first/migration.sql', 'create table other ()')],
])('A template of %s is not copied', async (_, change) => {
  await make()
  change()
  mkdirSync('data')
  expect(hasTemplate()).toBe(false)
  expect(await copyTemplate('data')).toBe(false)
  expect(readdirSync('data')).toEqual([])
})

test('An unfinished template is not copied, and a failed one leaves nothing', async () => {
  const failed = keptFolder(templateName(), async (folder) => {
    write(join(folder, 'database', 'base', '1'), 'half')
    expect(hasTemplate()).toBe(false)
    throw new Error('no room on the disk')
  })
  await expect(failed).rejects.toThrow('no room on the disk')
  expect(kept()).toEqual([])
})

test('Two processes that make a template at once use the same one', async () => {
  const slow = keptFolder(templateName(), async (folder) => {
    write(join(folder, 'database', 'base', '1'), 'slow')
    await make()
  })
  expect(readFileSync(join(await slow, 'database', 'base', '1'), 'utf8')).toBe('rows')
  expect(kept()).toHaveLength(1)
})

test('Templates of other versions and unfinished ones are deleted when another is made an hour later', async () => {
  const old = await make()
  const others = ['new-killed', 'new-in-progress', 'empty-1.0.0']
  for (const name of others) mkdirSync(join(DATABASES, name))
  for (const folder of [old, ...['new-killed', 'empty-1.0.0'].map((name) => join(DATABASES, name))])
    utimesSync(folder, TWO_HOURS_AGO, TWO_HOURS_AGO)
  setEngine('1.0.1')
  const made = await make()
  expect(existsSync(made)).toBe(true)
  expect(kept().filter((name) => !name.startsWith('template-'))).toEqual(['empty-1.0.0', 'new-in-progress'])
  expect(existsSync(old)).toBe(false)
})
