import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migratedDataDir } from '@/test/migrated'
import { differences } from '@/test/statements/compare'
import { loadFormulas } from '@/test/statements/load'
import { openSources, type Sources } from '@/test/statements/program'
import { findUses, type Use } from '@/test/statements/uses'
import type { Statement } from './database'

let sources: Sources
let db: PGlite
let found: { readonly use: Use; readonly statement: Statement }[]

beforeAll(async () => {
  sources = openSources()
  db = await PGlite.create(join(await migratedDataDir(), 'database'))
  const uses = findUses(sources)
  const statementsOf = await loadFormulas(uses.flatMap((use) => use.statements))
  found = uses.flatMap((use) => use.statements.flatMap(statementsOf).map((statement) => ({ use, statement })))
})
afterAll(async () => {
  sources?.close()
  await db?.close()
})

it('every statement returns the columns of its row type and takes the parameters of its call', async () => {
  const problems: string[] = []
  for (const { use, statement } of found)
    for (const problem of await problemsOf(use, statement))
      problems.push(`${statement.name} (${use.place}): ${problem}`)
  expect(problems).toEqual([])
})

// A connection keeps a text prepared under its name and refuses another text of that name from then on. The embedded
// database does not, so only a server would show it.
it('no two statements have one name', () => {
  const texts = new Map<string, Set<string>>()
  for (const { statement } of found)
    texts.set(statement.name, (texts.get(statement.name) ?? new Set()).add(statement.text))
  expect(texts.size).toBeGreaterThan(100)
  expect([...texts].filter(([, each]) => each.size > 1).map(([name]) => name)).toEqual([])
})

it('every statement of the code is prepared here', () => {
  const prepared = new Set(found.map(({ statement }) => statement.name))
  const written = sources.files.flatMap(({ text }) =>
    [...text.matchAll(/name: '(\w+)',\s*text:/g)].map(([, name]) => name),
  )
  expect(written.filter((name) => name !== undefined && !prepared.has(name))).toEqual([])
})

async function problemsOf({ row, params }: Use, { text }: Statement): Promise<string[]> {
  try {
    const described = await db.describeQuery(text)
    const expected = described.queryParams.length
    const count = params === expected ? [] : [`${params ?? 'an unknown number of'} parameters instead of ${expected}`]
    return [...count, ...(row === undefined ? [] : differences(sources.checker, row, described))]
  } catch (error) {
    return [(error as Error).message]
  }
}
