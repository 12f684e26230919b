import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { describeInOneSession, type Session } from '@/test/databases/databases'
import { migratedDataDir } from '@/test/databases/migrated'
import { ENTRIES } from '@/test/statements/entries'
import { fill } from '@/test/statements/full-database'
import { measure } from '@/test/statements/measure'
import { faultsOf, recordPrisma, type PrismaCall, type Sent } from '@/test/statements/prisma-sql'
import { differences } from '@/test/statements/row-types'
import { readCalls, type StatementCall } from '@/test/statements/source'
import type { Statement } from './statement'

const made = vi.hoisted((): Statement[] => [])
vi.mock('./statement', async (original) => ({
  ...(await original<object>()),
  statement(name: string, text: string): Statement {
    made.push({ name, text })
    return { name, text }
  },
}))

const calls = vi.hoisted((): PrismaCall[] => [])
vi.mock('./prisma-call', () => ({
  prismaCall(name: string, run: PrismaCall['run']) {
    calls.push({ name, run })
    return () => Promise.reject(new Error('not in this test'))
  },
}))

let source: ReturnType<typeof readCalls>
let db: PGlite
let record: ReturnType<typeof recordPrisma>
/** What Prisma sends for each call that has an entry. */
const sentBy = new Map<string, readonly Sent[]>()

beforeAll(async () => {
  source = readCalls()
  for (const file of new Set(source.calls.map((call) => call.file))) await import(file)
  db = await PGlite.create(join(await migratedDataDir(), 'database'))
  record = recordPrisma(db)
  for (const call of calls) {
    const { params = [] } = ENTRIES[call.name] ?? {}
    if (ENTRIES[call.name] !== undefined) sentBy.set(call.name, await record(call, params))
  }
})
afterAll(async () => {
  source?.close()
  await db?.close()
})

/** The calls that may have created the statement `name`. The pattern with the longest fixed part wins. */
function callsOf(name: string): StatementCall[] {
  const fitting = source.calls.filter((call) => call.name?.pattern.test(name) === true)
  const longest = Math.max(...fitting.map((call) => call.name?.fixedLength ?? 0))
  return fitting.filter((call) => call.name?.fixedLength === longest)
}

it('every statement is created by one call of `statement` or `prismaCall` when its module loads', () => {
  expect(made.length).toBeGreaterThan(100)
  const all = [...made, ...calls]
  const used = new Set(all.flatMap(({ name }) => callsOf(name)))
  const problems = [
    ...source.objects.map((place) => `${place}: write statement<Row>(name, text) instead of an object`),
    ...source.clients.map((place) => `${place}: call Prisma in a function that prismaCall(name, run) makes`),
    ...source.calls.flatMap((call) => {
      if (call.name === undefined) return `${call.place}: the name is neither a string nor a template`
      return used.has(call)
        ? []
        : `${call.place}: no statement ${call.name.pattern.source} is created when the module loads`
    }),
    ...all.flatMap(({ name }) => {
      const places = callsOf(name).map(({ place }) => place)
      return places.length === 1 ? [] : `${name}: created by ${places.length} calls: ${places.join(', ')}`
    }),
  ]
  expect([...new Set(problems)]).toEqual([])
})

// A PostgreSQL connection keeps a prepared statement under its name and refuses another text with that name. The embedded
// database does not, so only a server would show the error.
it('no two statements have the same name', () => {
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

it('every call of Prisma sends one statement, for one table, as decision 4 says', () => {
  expect(sentBy.size).toBeGreaterThan(5)
  expect([...sentBy].flatMap(([name, sent]) => faultsOf(sent).map((fault) => `${name} ${fault}`))).toEqual([])
})

const PLANTED: Readonly<Record<string, PrismaCall['run']>> = {
  'two statements': ({ user }) => user.findMany({ include: { wallets: true } }),
  'a second table': ({ connection }) => connection.count({ where: { loginGrant: { appHost: 'app.example' } } }),
  'a table of money': ({ quote }) => quote.count(),
  'a time to compare': ({ session }) => session.count({ where: { expiresAt: { gt: new Date() } } }),
  "a time of the process's clock": ({ user }) =>
    user.create({ data: { id: 'zed', displayName: 'Zed', passwordHash: 'none' } }),
}
it.each(Object.entries(PLANTED))('a call of Prisma with %s is reported', async (name, run) => {
  expect(faultsOf(await record({ name, run }, []))).toHaveLength(1)
})

async function problemsOf(name: string, text: string): Promise<string[]> {
  try {
    const described = await db.describeQuery(text)
    return callsOf(name).flatMap(({ row }) =>
      row === undefined ? ['its row type was not found'] : differences(source.checker, row, described),
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

describeInOneSession('On a database whose growing tables are full', (session) => {
  beforeAll(() => fill(session()))

  it('every statement has an entry with its parameters, and every entry has its statement', () => {
    const names = new Set([...made, ...calls].map(({ name }) => name))
    const problems = [
      ...[...names]
        .filter((name) => ENTRIES[name] === undefined)
        .map((name) => `${name} (${placesOf(name)}) has no entry`),
      ...Object.keys(ENTRIES).flatMap((name) => (names.has(name) ? [] : `${name} has an entry and no statement`)),
    ]
    expect(problems, 'The entries are in test/statements/entries.ts').toEqual([])
  })

  // Nothing analyzes an embedded database by itself, and a server does it minutes after a table was filled.
  it.each(['before', 'after'])(
    'no statement reads more rows than its entry allows, %s the tables are analyzed',
    async (when) => {
      if (when === 'after') await analyze(session())
      const problems: string[] = []
      const measured = [
        ...made.map(({ name, text }) => ({ name, text, params: ENTRIES[name]?.params })),
        ...[...sentBy].flatMap(([name, sent]) => sent.map((one) => ({ name, ...one }))),
      ]
      for (const { name, text, params = [] } of measured) {
        const entry = ENTRIES[name]
        if (entry === undefined) continue
        try {
          const { returned, read, loops } = await measure(session(), { name, text }, params)
          const [least, most] = typeof entry.returns === 'number' ? [entry.returns, entry.returns] : entry.returns
          if (returned < least || returned > most)
            problems.push(`${name} returns ${returned} rows, not ${String(entry.returns)}`)
          if (read > entry.reads) problems.push(`${name} reads ${read} rows, and may read ${entry.reads}`)
          if (loops > entry.reads)
            problems.push(`${name} runs a sub-plan ${loops} times, and may run it ${entry.reads} times`)
        } catch (error) {
          problems.push(`${name}: ${(error as Error).message}`)
        }
      }
      expect(problems).toEqual([])
    },
  )
})

/** Reads every row: a sample would give other plans now and then. */
async function analyze(session: Session): Promise<void> {
  await session.query('set default_statistics_target = 1000')
  await session.query('analyze')
}
