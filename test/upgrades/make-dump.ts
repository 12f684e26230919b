import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireOwnKey } from '@/lib/lightning/own-key'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { NO_POSTGRES, startTestPostgres } from '../databases/postgres'
import { startTwoVasps, type ServedVasp } from '../uma/two-vasps'
import { usePinnedRates } from '../vasp/pinned-rates'
import { spendDay } from './day'
import { FOLDER, readBalances, type Expected } from './fixture'
import { makeWest } from './west'

// Makes the fixture of this version: `node scripts/ready.mjs test/upgrades/make-dump.ts`. See README.md beside it.

const MAX_BYTES = 400_000
/** Tables that stay empty, each with the reason. */
const EMPTY_TABLES: Readonly<Record<string, string>> = {
  'public.write_checks': 'Each instance stores its row again.',
  'public.events': 'Events are deleted after a day.',
  'public.connection_faults': 'A fault ends within an hour.',
  'public.audit_breaches': 'The books of the fixture balance.',
  'public.password_attempts': 'Counts of wrong passwords are forgotten within 15 minutes.',
}

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const [sqlFile, jsonFile] = [join(FOLDER, `${version}.sql`), join(FOLDER, `${version}.json`)]
if (existsSync(sqlFile)) throw new Error(`${sqlFile} exists already. A fixture never changes.`)
const server = await startTestPostgres({ own: true })
if (server === undefined) throw new Error(NO_POSTGRES)
try {
  const databaseUrl = await server.createMigratedDatabase()
  const { expected, secrets } = await fill(databaseUrl, await server.createMigratedDatabase())
  const sql = clean(
    execFileSync('pg_dump', ['--inserts', '--no-owner', '--no-privileges', databaseUrl], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    }),
  )
  refuseSecrets(sql, secrets)
  const bytes = Buffer.byteLength(sql)
  if (bytes > MAX_BYTES) throw new Error(`The dump has ${bytes} bytes; at most ${MAX_BYTES} are allowed.`)
  writeFileSync(sqlFile, sql)
  writeFileSync(jsonFile, `${JSON.stringify(expected, undefined, 2)}\n`)
  console.log(`${sqlFile}: ${bytes} bytes. ${jsonFile}: what the test expects.`)
} finally {
  await server.stop()
}

async function fill(
  databaseUrl: string,
  southUrl: string,
): Promise<{ readonly expected: Expected; readonly secrets: readonly string[] }> {
  const [db, southDb] = [await open(databaseUrl), await open(southUrl)]
  try {
    const both = await startTwoVasps(db, southDb, { PAYMENT_WAIT_SECONDS: '20' })
    await requireOwnKey(db, both.north.app.node.identity.publicKeyHex)
    const west = makeWest()
    const unfinished = await spendDay(both, west)
    await (await usePinnedRates(both.north)).move('EUR', 10)
    const { breaches } = await both.north.app.audit.run('everything')
    if (breaches.length > 0) throw new Error(JSON.stringify(breaches))
    // A hash that no password matches.
    await db.prisma.user.updateMany({ data: { passwordHash: 'none' } })
    await refuseEmptyTables(db)
    const nodes = { north: both.north.app.node.identity.publicKeyHex, west: west.publicKeyHex }
    const expected = { nodes, ...unfinished, balances: await readBalances(db) }
    return { expected, secrets: [...secretsOf(both.north), west.secretHex] }
  } finally {
    await Promise.all([db.close(), southDb.close()])
  }
}

function open(databaseUrl: string): Promise<Database> {
  return openDatabase({ databaseUrl, dataDir: '', log: () => {} })
}

async function refuseEmptyTables(db: Database): Promise<void> {
  const text = `select schemaname || '.' || tablename as name from pg_tables
                where schemaname not in ('pg_catalog', 'information_schema') order by 1`
  const wrong: string[] = []
  for (const { name } of await db.query<{ name: string }>({ name: 'fixture_tables', text })) {
    const count = { name: `fixture_any_${name}`, text: `select exists (select from ${name}) as filled` }
    const [row] = await db.query<{ filled: boolean }>(count)
    const isException = EMPTY_TABLES[name] !== undefined
    if (row?.filled === isException) wrong.push(`${name} has ${isException ? 'rows and is an exception' : 'no row'}.`)
  }
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
}

/** Removes the lines that only psql understands, and the settings that another server may not know. */
function clean(dump: string): string {
  const lines = dump
    .split('\n')
    .filter(
      (line) => !line.startsWith('\\') && (!line.startsWith('SET ') || line.startsWith('SET check_function_bodies')),
    )
  const text = lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
  return `-- A database of release ${version} after a day. test/upgrades/make-dump.ts made it; it never changes.\n${text}\n`
}

function secretsOf({ app, pair }: ServedVasp): string[] {
  const { nextAuthSecret, lightningNodeKeyHex, umaSigningKeyHex, umaEncryptionKeyHex } = app.settings
  const pem = pair.privatePem.split('\n').filter((line) => line !== '' && !line.startsWith('-'))
  return [nextAuthSecret, lightningNodeKeyHex, umaSigningKeyHex, umaEncryptionKeyHex, ...pem].filter(
    (each): each is string => each !== undefined,
  )
}

function refuseSecrets(sql: string, secrets: readonly string[]): void {
  if (secrets.length < 6) throw new Error('The secrets to look for are missing.')
  if ([...secrets, 'PRIVATE KEY', 'scrypt$'].some((secret) => sql.includes(secret)))
    throw new Error('The dump holds a secret.')
}
