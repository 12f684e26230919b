import { afterAll, beforeAll, test, vi } from 'vitest'
import type { Statement } from '@/lib/platform/db/statement'
import { makeUpkeep } from '@/lib/platform/db/upkeep'
import { openEmbeddedSession, type Session } from '../databases/databases'
import { ENTRIES } from './entries'
import { fill } from './full-database'
import { readCalls } from './source'

/** Limits for one run on the embedded database, in milliseconds of CPU. Every other statement waits for it. */
const MAX_MS = { task: 100, call: 25 }
const RUNS = 3
const SHOWN = 15
const SHOWN_STEPS = 5

const made = vi.hoisted((): Statement[] => [])
vi.mock('@/lib/platform/db/statement', async (original) => ({
  ...(await original<object>()),
  statement(name: string, text: string): Statement {
    made.push({ name, text })
    return { name, text }
  },
}))

let session: Session
beforeAll(async () => {
  const source = readCalls()
  for (const file of new Set(source.calls.map((call) => call.file))) await import(file)
  source.close()
  session = await openEmbeddedSession()
  await fill(session)
}, 600_000)
afterAll(() => session?.close())

test('prints the statements that take the most CPU on full tables', { timeout: 600_000 }, async () => {
  const rows = []
  for (const { name, text } of new Map(made.map((statement) => [statement.name, statement])).values()) {
    const { params = [], slice = params, isTask } = ENTRIES[name] ?? {}
    const ms: number[] = []
    for (let run = 0; run <= RUNS; run++) ms.push(await cpuMsOf(text, slice))
    rows.push({ name, ms: median(ms.slice(1)), maxMs: isTask ? MAX_MS.task : MAX_MS.call })
  }
  rows.sort((a, b) => b.ms - a.ms)
  const lines = rows
    .filter(({ ms, maxMs }, index) => index < SHOWN || ms > maxMs)
    .map(
      ({ name, ms, maxMs }) => `${ms.toFixed(1).padStart(8)} ms of ${maxMs}  ${name}${ms > maxMs ? '  TOO MUCH' : ''}`,
    )
  console.log(['CPU of one run on full tables, embedded database, never analyzed:', ...lines].join('\n'))
})

test('prints the longest step of the upkeep after a start', { timeout: 600_000 }, async () => {
  const due = makeUpkeep(
    async <Row>(_: string, sql: string, params?: unknown[]) => (await session.query(sql, params)) as Row[],
  )
  const steps = []
  for (const { name, run } of await due()) steps.push({ name, ms: await cpuMs(run) })
  steps.sort((a, b) => b.ms - a.ms)
  const lines = steps.slice(0, SHOWN_STEPS).map(({ name, ms }) => `${ms.toFixed(1).padStart(8)} ms  ${name}`)
  console.log([`CPU of the longest of ${steps.length} steps of the upkeep:`, ...lines].join('\n'))
})

/** CPU time of one run that is rolled back, in milliseconds. */
async function cpuMsOf(text: string, params: readonly unknown[]): Promise<number> {
  await session.query('begin')
  try {
    return await cpuMs(() => session.query(text, params))
  } finally {
    await session.query('rollback')
  }
}

async function cpuMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
