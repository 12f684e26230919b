import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sqlFromDatabaseTo } from '@/test/drift'
import { preparedDataDir } from '@/test/embedded'
import { openDatabase } from './database'

const schema = readFileSync('prisma/schema.prisma', 'utf8')
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

test('the migrations make the tables that schema.prisma describes', async () => {
  expect(await sqlFromDatabaseTo(schema, db)).toBe('')
})

test('a field that no migration makes would be noticed', async () => {
  const withField = schema.replace('  displayName  String ', '  nickname String?\n  displayName  String ')
  expect(await sqlFromDatabaseTo(withField, db)).toContain('ADD COLUMN     "nickname" TEXT')
})
