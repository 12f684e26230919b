import { readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import type * as SchemaEngineModule from '@prisma/schema-engine-wasm'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { preparedDataDir } from '@/test/databases/embedded'
import { openDatabase } from './open-database'

/** Names that wasm-bindgen generates to link the .js file and the .wasm file. */
const SET_MEMORY = '__wbg_set_wasm'
const START = '__wbindgen_start'

interface Glue {
  [SET_MEMORY](exports: WebAssembly.Exports): void
}

/**
 * The SQL that would bring a database in line with the given Prisma schema; empty when the two agree. Also a draft of a
 * new migration. Covers columns, types, defaults, references and plain indexes, but no checks, triggers or functions.
 */
async function sqlFromDatabaseTo(schema: string, db: PGlite): Promise<string> {
  const { SchemaEngine } = await (loaded ??= loadSchemaEngine())
  const files = [{ path: 'schema.prisma', content: schema }]
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPGlite(db))
  const engine = await SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => {}, adapter)
  const { exitCode, stdout } = await engine.diff({
    from: { tag: 'schemaDatasource', files, configDir: '.' },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: true,
    // Prisma's own history table is deliberately not in the schema.
    filters: { externalTables: [], externalEnums: [] },
  })
  return exitCode === 0 ? '' : (stdout ?? 'unknown difference')
}

/**
 * Loaded once per process: the glue code holds one memory, so a second instance would leave the first with the wrong
 * memory.
 */
let loaded: Promise<typeof SchemaEngineModule> | undefined

/** Node 20 cannot import a .wasm file, so the two files are linked here. */
async function loadSchemaEngine(): Promise<typeof SchemaEngineModule> {
  const folder = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg'))
  const glue = (await import(pathToFileURL(join(folder, 'schema_engine_bg.js')).href)) as typeof SchemaEngineModule &
    Glue
  const compiled = new WebAssembly.Module(readFileSync(join(folder, 'schema_engine_bg.wasm')))
  const { exports } = new WebAssembly.Instance(compiled, {
    './schema_engine_bg.js': glue as unknown as WebAssembly.ModuleImports,
  })
  glue[SET_MEMORY](exports)
  const start = exports[START] as () => void
  start()
  return glue
}

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

test('the migrations create the tables that schema.prisma describes', async () => {
  expect(
    await sqlFromDatabaseTo(schema, db),
    'schema.prisma and the migrations differ. A migration with this SQL creates what schema.prisma describes:',
  ).toBe('')
})

test('a field of schema.prisma that no migration creates is reported', async () => {
  const withField = schema.replace(
    '  displayName  String ',
    '  plantedField String? @map("planted_field")\n  displayName  String ',
  )
  expect(await sqlFromDatabaseTo(withField, db)).toContain('ADD COLUMN     "planted_field" TEXT')
})
