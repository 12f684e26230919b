import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFilter } from 'vite'
import { describe, expect, it } from 'vitest'
import { MUTATIONS } from '@/test/mutations'
import { readMutationsArguments } from '@/test/mutations/arguments'
import { mutated, type Mutation } from '@/test/mutations/mutation'
import { withFault } from '@/test/mutations/scratch-tree'
import config from '../vitest.config'

/** Stages of the default run that need no build: `unit` with `patterns`, `database`, and one file of `simulation`. */
const DEFAULT_PROJECTS = ['unit', 'unit-replacing', 'patterns', 'db', 'db-replacing']
const inDefaultRun = (config.test?.projects ?? []).flatMap((project) => {
  const { name, include, exclude } = (project as { test: { name: string; include: string[]; exclude?: string[] } }).test
  const isDefault = DEFAULT_PROJECTS.includes(name) && include.length > 0
  return isDefault ? [createFilter(include, exclude, { resolve: false })] : []
})
inDefaultRun.push((file) => file === 'test/simulation/random.sim.test.ts')

describe('the table of planted faults', () => {
  it('has 66 faults with numbers from 1 on, in order', () => {
    expect(MUTATIONS.map(({ number }) => number)).toEqual(Array.from({ length: 66 }, (_, index) => index + 1))
  })

  it('says of each in one sentence what it breaks, and plants no two alike', () => {
    for (const { breaks } of MUTATIONS) expect(breaks).toMatch(/^[A-Z][^\n]{20,130}\.$/)
    expect(new Set(MUTATIONS.map(({ breaks }) => breaks)).size).toBe(MUTATIONS.length)
    expect(new Set(MUTATIONS.map(({ file, within, search }) => [file, within, search].join('\n'))).size).toBe(
      MUTATIONS.length,
    )
  })

  it.each(MUTATIONS.map((mutation) => [mutation.number, mutation] as const))(
    'has the text of fault %i once in its declaration',
    (_, mutation) => {
      const source = readFileSync(mutation.file, 'utf8')
      expect(mutated(source, mutation)).not.toBe(source)
    },
  )

  it('names one to three test files of the default run for each', () => {
    for (const { number, tests } of MUTATIONS) {
      expect([number, tests.length > 0 && tests.length <= 3]).toEqual([number, true])
      for (const file of tests) expect([file, existsSync(file)]).toEqual([file, true])
    }
    const files = [...new Set(MUTATIONS.flatMap(({ tests }) => tests))]
    expect(files.filter((file) => !inDefaultRun.some((has) => has(file)))).toEqual([])
  })
})

describe('planting a fault', () => {
  const SOURCE = `export const LIMIT = 5

export function pay(
  amount: number,
): number {
  if (amount > LIMIT) return 0

  return amount
}

export async function refund(amount: number): Promise<number> {
  if (amount > LIMIT) return 0
  return amount
}
`
  const fault: Mutation = {
    number: 7,
    breaks: 'A payment has no limit.',
    file: 'pay.ts',
    within: 'pay',
    search: 'if (amount > LIMIT) return 0',
    replace: '',
    tests: ['pay.test.ts'],
  }

  it('changes the named declaration only', () => {
    const [head, tail] = SOURCE.split('export async')
    expect(mutated(SOURCE, fault)).toBe(`${head?.replace(fault.search, '')}export async${tail}`)
    expect(mutated(SOURCE, { ...fault, within: 'refund' })).toBe(
      `${head}export async${tail?.replace(fault.search, '')}`,
    )
    expect(mutated(SOURCE, { ...fault, within: 'LIMIT', search: '5', replace: '6' })).toBe(SOURCE.replace('5', '6'))
  })

  it('changes an SQL function, whose lines are not indented', () => {
    const sql =
      'create or replace function pay(\n  amount bigint\n) returns bigint as $$\nbegin\n  return amount;\nend $$;\n'
    const inSql = { ...fault, search: 'return amount', replace: 'return 0' }
    expect(mutated(sql, inSql)).toBe(sql.replace('return amount', 'return 0'))
  })

  it.each([
    ['is gone', 'pay', 'amount < LIMIT', 'pay no longer has the text amount < LIMIT'],
    ['is there twice', 'pay', 'return', 'pay has the text return more than once'],
    ['is in another declaration', 'LIMIT', 'return 0', 'LIMIT no longer has the text return 0'],
    ['has lost its declaration', 'payAll', 'return 0', 'there is no payAll'],
  ])('asks to renew the fault when its text %s', (_, within, search, why) => {
    expect(() => mutated(SOURCE, { ...fault, within, search })).toThrow(
      `Renew mutation 7: what it breaks is "A payment has no limit." pay.ts: ${why}.`,
    )
  })
})

it('a fault in an SQL function is a last migration while the tests run, and nothing is left of it, even after an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mutations-'))
  const [file, text] = [
    'prisma/functions/pay.sql',
    'create or replace function pay() returns int language sql as $$ select 1 $$;\n',
  ]
  const fault: Mutation = {
    number: 1,
    breaks: 'x',
    file,
    within: 'pay',
    search: 'select 1',
    replace: 'select 2',
    tests: [],
  }
  for (const name of ['functions', 'migrations/20250101000000_first'])
    mkdirSync(join(folder, 'prisma', name), { recursive: true })
  writeFileSync(join(folder, file), text)
  const migrations = (): string[] => readdirSync(join(folder, 'prisma/migrations')).toSorted()
  const run = withFault({ folder, hash: '' }, fault, async () => {
    const [, last = ''] = migrations()
    const planted = [file, `prisma/migrations/${last}/migration.sql`].map((path) =>
      readFileSync(join(folder, path), 'utf8'),
    )
    expect(planted).toEqual([text.replace('1', '2'), text.replace('1', '2')])
    throw new Error('interrupted')
  })
  await expect(run).rejects.toThrow('interrupted')
  expect(migrations()).toEqual(['20250101000000_first'])
  expect(readFileSync(join(folder, file), 'utf8')).toBe(text)
  rmSync(folder, { recursive: true })
})

it.each([
  [['67'], "There is no mutation '67'."],
  [['one'], "There is no mutation 'one'."],
  [['--sample', '0'], '--sample takes a whole number of at least 1.'],
  [['--sample', '5', '1'], 'Give --sample or numbers, not both.'],
])('the arguments %j are refused', (args, message) => {
  expect(() => readMutationsArguments(args)).toThrow(message)
})
