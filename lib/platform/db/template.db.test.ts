import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyDataDir } from '@/test/databases/embedded'
import type { Database } from './database'
import { makeTemplate } from './make-template'
import { readMigrations } from './migration-files'
import { openDatabase } from './open-database'

let dataDir: string
let db: Database
const steps: string[] = []

beforeAll(async () => {
  await makeTemplate()
  dataDir = emptyDataDir()
  db = await openDatabase({ databaseUrl: undefined, dataDir, log: () => {}, onStep: (step) => steps.push(step) })
})
afterAll(async () => {
  await db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const sql = <Row>(text: string): Promise<Row[]> => db.query<Row>({ name: 'of_the_test', text })

test('The first start on an empty folder copies the template and applies no migration', async () => {
  expect(steps).toEqual(['Creating the embedded database', 'Opening the embedded database'])
  const applied = await sql<{ name: string }>('select migration_name as name from _prisma_migrations order by 1')
  expect(applied.map(({ name }) => name)).toEqual(readMigrations().map(({ name }) => name))
  expect(readdirSync(dataDir).toSorted()).toEqual(['database', 'lock'])
})

test('Only its owner may read the copy', () => {
  expect((statSync(join(dataDir, 'database')).mode & 0o777).toString(8)).toBe('700')
})

test('The template has no users, no money and no secrets', async () => {
  const tables = await sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'lightning_node') order by 1`,
  )
  expect(tables.length).toBeGreaterThan(20)
  const filled: Record<string, unknown> = {}
  for (const { name } of tables) {
    const [counted] = await sql<{ rows: bigint }>(`select count(*) as rows from ${name}`)
    if (counted?.rows !== 0n) filled[name] = counted?.rows
  }
  // The account for money without an owner. It has no balance of its own, and no postings.
  expect(filled).toEqual({ 'public._prisma_migrations': BigInt(readMigrations().length), 'public.ledger_accounts': 1n })
  expect(await sql('select kind from ledger_accounts')).toEqual([{ kind: 'suspense' }])
  expect(existsSync(join(await makeTemplate(), 'settings.env'))).toBe(false)
})
