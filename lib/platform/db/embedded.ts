import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { startError } from '../start-error'
import { noteFailure, type Answers } from './answers'
import type { Database, DatabaseSettings } from './database'
import { PrismaClient } from './generated/client'
import { decodeInt8, decodeInt8Array, INT8_ARRAY_OID, INT8_OID } from './int8'
import { lockFolder } from './lock'
import { migrate } from './migrate'
import { readMigrations } from './migration-files'
import { PreparedPGlite } from './prepared-pglite'
import { SafePGliteAdapter } from './safe-pglite-adapter'
import { PRISMA, SLOW_STATEMENT_MS, type OnSlowStatement } from './statement'
import { copyTemplate } from './template'
import { makeUpkeep } from './upkeep'

/** There is one connection, so transactions queue. These limits allow for the time in the queue. */
const PATIENT = { maxWait: 20_000, timeout: 20_000 }

/**
 * PostgreSQL's page cache. It is part of this process's memory, and all of it is touched at startup. The default of 128 MB is
 * many times the size of the sandbox's tables; larger databases are read through the system's own cache.
 */
export const EMBEDDED_START_PARAMS = [
  ...PGlite.defaultStartParams,
  '-c',
  'shared_buffers=16MB',
  // The same value as on a server: see postgres.ts.
  '-c',
  'random_page_cost=1.1',
  // A tenth of the default: 3,000 rows are read for the statistics of a table, however large it is.
  '-c',
  'default_statistics_target=10',
]

const UNFINISHED = '.new-'
const MAKER_TEXT = 500

const parsers = { [INT8_OID]: decodeInt8, [INT8_ARRAY_OID]: decodeInt8Array }

/**
 * Opens PostgreSQL in this process with its files in `<dataDir>/database`. Only one process at a time can open a
 * folder.
 */
export async function openEmbedded(
  dataDir: string,
  { onStep = () => {}, onSlowStatement = () => {} }: Pick<DatabaseSettings, 'onStep' | 'onSlowStatement'>,
): Promise<Database> {
  const lock = await lockFolder(dataDir)
  try {
    const db = await openFolder(join(dataDir, 'database'), onStep)
    const answers: Answers = {}
    const named = watchStatements(db, onSlowStatement, answers)
    return handleOf(db, { named, answers, onClose: () => lock.release() })
  } catch (error) {
    lock.release()
    throw error
  }
}

async function openFolder(folder: string, onStep: (step: string) => void): Promise<PGlite> {
  if (!existsSync(folder)) await makeFolder(folder, onStep)
  // Without this file PGlite would create a new database over the remains of the old one.
  if (!existsSync(join(folder, 'PG_VERSION'))) throw unusable(folder)
  try {
    onStep('Opening the embedded database')
    const db = new PreparedPGlite(folder, { parsers, startParams: EMBEDDED_START_PARAMS })
    await db.waitReady
    await migrateEmbedded(db, onStep)
    return db
  } catch (error) {
    throw error instanceof Error && error.name === 'StartError' ? error : unusable(folder, error)
  }
}

/**
 * Created in a temporary folder and moved when complete, so that an interrupted start leaves nothing that looks
 * like a damaged database.
 */
async function makeFolder(folder: string, onStep: (step: string) => void): Promise<void> {
  onStep('Creating the embedded database')
  try {
    removeUnfinished(folder)
    // A unique name: the child process of a killed start may run a few seconds longer, and must not write to the
    // folder of this start.
    const unfinished = mkdtempSync(`${folder}${UNFINISHED}`)
    if (!(await copyTemplate(unfinished))) await runMaker(unfinished)
    renameSync(unfinished, folder)
    removeUnfinished(folder)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw startError(
      `The embedded database could not be created in ${folder} (${reason}): is there room on the disk?`,
      error,
    )
  }
}

/** Skips a folder to which the child process of a killed start is still writing. The next call removes it. */
function removeUnfinished(folder: string): void {
  const [parent, start] = [dirname(folder), `${basename(folder)}${UNFINISHED}`]
  for (const name of readdirSync(parent).filter((each) => each.startsWith(start))) {
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
    }
  }
}

/**
 * Runs in a child process, because creation needs three engines at once: 600 MB that this process would keep until it
 * ends.
 */
function runMaker(folder: string): Promise<void> {
  const script = join(/* turbopackIgnore: true */ process.cwd(), 'lib', 'platform', 'db', 'make-database.mjs')
  const maker = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let said = ''
  maker.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-MAKER_TEXT)))
  return new Promise((resolve, reject) => {
    maker.once('error', reject)
    maker.once('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(said.trim() || `the process that creates it ended with ${signal ?? code}`))
    })
  })
}

function unusable(folder: string, cause?: unknown): Error {
  return startError(
    `The embedded database in ${folder} cannot be read. It was not changed. Restore a copy of the folder, or run \`npm run demo -- --reset\` to start over.`,
    cause,
  )
}

async function migrateEmbedded(db: PGlite, onStep: (step: string) => void): Promise<void> {
  await migrate(
    {
      exec: async (sql) => void (await db.exec(sql)),
      query: async (sql, params) => (await db.query<Record<string, unknown>>(sql, params)).rows,
    },
    readMigrations(),
    onStep,
  )
}

/** Runs work whose statements have this name. */
type Named = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

/** Times and notes what the engine does for each statement: one of the messages for a statement executes it. */
function watchStatements(db: PGlite, onSlow: OnSlowStatement, answers: Answers): Named {
  const names = new AsyncLocalStorage<string>()
  const send = db.execProtocolStream.bind(db)
  db.execProtocolStream = async (message, options) => {
    const startedAt = performance.now()
    let endedAt = startedAt
    try {
      const messages = await send(message, options)
      answers.lastMs = endedAt = performance.now()
      return messages
    } catch (error) {
      noteFailure(answers, error, (endedAt = performance.now()))
      throw error
    } finally {
      const ms = endedAt - startedAt
      if (ms > SLOW_STATEMENT_MS) onSlow(names.getStore() ?? PRISMA, Math.round(ms))
    }
  }
  return (name, work) => names.run(name, work)
}

interface HandleParts {
  readonly named: Named
  readonly answers: Answers
  readonly onClose: () => void
}

function handleOf(db: PGlite, { named, answers, onClose }: HandleParts): Database {
  const prisma = new PrismaClient({ adapter: new SafePGliteAdapter(db), transactionOptions: PATIENT })
  let closed = false
  const dueUpkeep = makeUpkeep(async <Row>(name: string, sql: string, params?: unknown[]) =>
    closed ? [] : (await named(name, () => db.query<Row>(sql, params))).rows,
  )
  return {
    kind: 'embedded',
    prisma,
    async query<Row>({ name, text }: { name: string; text: string }, params: readonly unknown[] = []) {
      return (await named(name, () => db.query<Row>(text, [...params]))).rows
    },
    async listen(channel, onMessage) {
      await named('listen', () => db.listen(channel, onMessage))
    },
    answers,
    dueUpkeep,
    async close() {
      closed = true
      try {
        await prisma.$disconnect()
        await db.close()
      } finally {
        onClose()
      }
    },
  }
}
