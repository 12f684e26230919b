import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { preparedDataDir } from '@/test/databases/embedded'
import { openDatabase } from './open-database'

const FOLDER = 'prisma/functions'
const files = readdirSync(FOLDER).toSorted()
let dataDir: string
let db: PGlite

beforeAll(async () => {
  dataDir = await preparedDataDir()
  await (await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })).close()
  db = await PGlite.create(join(dataDir, 'database'))
})
afterAll(async () => {
  await db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** The definition of each function, by `schema.name`, or by `name` in the schema public. */
async function definitions(): Promise<Map<string, string>> {
  const { rows } = await db.query<{ name: string; definition: string }>(
    `select case n.nspname when 'public' then '' else n.nspname || '.' end || p.proname as name,
            string_agg(pg_get_functiondef(p.oid), ';' order by p.oid) as definition
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('public', 'lightning_node') group by 1`,
  )
  return new Map(rows.map(({ name, definition }) => [name, definition]))
}

test('prisma/functions has one file for each function of the migrated database', async () => {
  expect(files.map((file) => file.replace(/\.sql$/, ''))).toEqual([...(await definitions()).keys()].toSorted())
})

test('each file of prisma/functions equals the definition in the migrated database', async () => {
  const migrated = await definitions()
  for (const file of files) await db.exec(readFileSync(join(FOLDER, file), 'utf8'))
  expect(await definitions()).toEqual(migrated)
})
