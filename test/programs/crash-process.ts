import { Client } from 'pg'
import type { Database } from '../../lib/platform/db/database'
import { readMigrations } from '../../lib/platform/db/migration-files'
import { openDatabase } from '../../lib/platform/db/open-database'
import { makeTestVasp } from '../vasp/vasp'
import type { CrashOrder } from './crash-points'

// A VASP process for tests. It makes one payment through the API, with a real worker and the simulated node, and is
// killed before or after a named statement. This file wraps the statements; the code under test is unchanged. Without a
// statement, the process is killed from outside.
const { databaseUrl, env, pair, path, token, body, trap } = JSON.parse(process.argv[2] ?? '') as CrashOrder

function dieAt(statement: string, when: 'before' | 'after'): void {
  if (trap?.statement === statement && trap.when === when) process.kill(process.pid, 'SIGKILL')
}

async function around<Result>(statement: string, work: () => Promise<Result>): Promise<Result> {
  dieAt(statement, 'before')
  const result = await work()
  // Ignores a reconciler round that found no payment.
  if (statement !== 'claim_payments' || (Array.isArray(result) && result.length > 0)) dieAt(statement, 'after')
  return result
}

function trapped(db: Database): Database {
  return { ...db, query: (statement, params) => around(statement.name, () => db.query(statement, params)) }
}

/** The newest migration runs on its own connection: its SQL is `migration`, its commit `migration_commit`. */
function trapMigration(): void {
  const newest = readMigrations().at(-1)?.sql
  const real = Reflect.get(Client.prototype, 'query') as (...args: unknown[]) => Promise<unknown>
  let isNewest = false
  const query = function (this: Client, ...args: unknown[]): Promise<unknown> {
    const [text] = args
    const run = (): Promise<unknown> => real.apply(this, args)
    if (text === newest) isNewest = true
    if (text === newest) return around('migration', run)
    return isNewest && text === 'commit' ? around('migration_commit', run) : run()
  }
  Client.prototype.query = query as typeof Client.prototype.query
}

trapMigration()
const db = trapped(await openDatabase({ databaseUrl, dataDir: '', log: () => {} }))
const vasp = await makeTestVasp(db, env, pair)
vasp.app.paymentWorker.keepRunning()
await vasp.post(path, token, body)
// The payment has an answer, so the process was not killed in time.
process.exit(3)
