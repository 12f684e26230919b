import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { migratedDataDir } from '@/test/migrated'
import { readCalls, type StatementCall } from '@/test/statements/calls'
import { differences } from '@/test/statements/compare'
import type { Statement } from './statement'

const made = vi.hoisted((): Statement[] => [])
vi.mock('./statement', () => ({
  statement(name: string, text: string): Statement {
    made.push({ name, text })
    return { name, text }
  },
}))

let source: ReturnType<typeof readCalls>
let db: PGlite

beforeAll(async () => {
  source = readCalls()
  for (const file of new Set(source.calls.map((call) => call.file))) await import(file)
  db = await PGlite.create(join(await migratedDataDir(), 'database'))
})
afterAll(async () => {
  source?.close()
  await db?.close()
})

/** The calls that can have made a statement. A name that is written more fully goes before a pattern. */
function callsOf(name: string): StatementCall[] {
  const fitting = source.calls.filter((call) => call.name?.pattern.test(name) === true)
  const longest = Math.max(...fitting.map((call) => call.name?.fixedLength ?? 0))
  return fitting.filter((call) => call.name?.fixedLength === longest)
}

it('every statement is made by one call of `statement`, when its module loads', () => {
  expect(made.length).toBeGreaterThan(100)
  const used = new Set(made.flatMap(({ name }) => callsOf(name)))
  const problems = [
    ...source.objects.map((place) => `${place}: write statement<Row>(name, text) instead of an object`),
    ...source.calls.flatMap((call) => {
      if (call.name === undefined) return `${call.place}: the name is neither a string nor a template`
      return used.has(call)
        ? []
        : `${call.place}: no statement ${call.name.pattern.source} is made when the module loads`
    }),
    ...made.flatMap(({ name }) => {
      const places = callsOf(name).map(({ place }) => place)
      return places.length === 1 ? [] : `${name}: made by ${places.length} calls: ${places.join(', ')}`
    }),
  ]
  expect([...new Set(problems)]).toEqual([])
})

// A connection keeps a text prepared under its name and refuses another text of that name from then on. The embedded
// database does not, so only a server would show it.
it('no two statements have one name', () => {
  const problems = made.flatMap(({ name, text }) => {
    const other = made.find((each) => each.name === name && each.text !== text)
    return other === undefined ? [] : `${name} (${placesOf(name)}) has two texts`
  })
  expect([...new Set(problems)]).toEqual([])
})

it('every statement returns the columns of its row type', async () => {
  const problems: string[] = []
  for (const { name, text } of made)
    for (const problem of await problemsOf(name, text)) problems.push(`${name} (${placesOf(name)}): ${problem}`)
  expect(problems).toEqual([])
})

async function problemsOf(name: string, text: string): Promise<string[]> {
  try {
    const described = await db.describeQuery(text)
    return callsOf(name).flatMap(({ row }) =>
      row === undefined ? ['the type of its rows is not found'] : differences(source.checker, row, described),
    )
  } catch (error) {
    return [(error as Error).message]
  }
}

function placesOf(name: string): string {
  return callsOf(name)
    .map(({ place }) => place)
    .join(', ')
}
