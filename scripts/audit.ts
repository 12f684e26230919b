import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { auditCredential } from '../lib/audit/ask'
import { FROM_THE_BEGINNING, findBreaches, readAuditMark } from '../lib/audit/invariants'
import type { AuditReport } from '../lib/audit/auditor'
import { openDatabase } from '../lib/db/database'
import { missingMigrations } from '../lib/db/postgres'
import { completeEnvironment, dataDirOf, readSettingsFile } from '../lib/environment.js'

// Checks the books from the first posting to the last: asks the running server, which has the embedded folder to itself,
// and opens the database only when nothing runs. Exit code 0 when they balance, 1 when not, 2 when nobody could look.
try {
  const dataDir = dataDirOf(process.env)
  const env = completeEnvironment(process.env, readSettingsFile(dataDir) ?? {})
  const report = (await askServer(env)) ?? (await openAndLook(env.DATABASE_URL || undefined, dataDir))
  for (const { invariant, detail } of report.breaches) console.log(`${invariant}  ${detail}`)
  console.log(
    report.breaches.length === 0
      ? `The books balance: N1 to N5 hold up to posting ${report.postings}.`
      : 'The books do not balance.',
  )
  process.exitCode = report.breaches.length === 0 ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}

/** Undefined when nothing answers there, or nobody has said what its secret is. */
async function askServer(env: Readonly<Record<string, string>>): Promise<AuditReport | undefined> {
  const { NEXTAUTH_URL, NEXTAUTH_SECRET: secret, PORT = '3000' } = env
  if (secret === undefined) return undefined
  const origin = NEXTAUTH_URL ?? `http://localhost:${PORT}`
  let response: Response
  try {
    const Authorization = auditCredential(secret, Math.floor(Date.now() / 1000))
    response = await fetch(`${origin}/-/audit`, { method: 'POST', headers: { Authorization } })
  } catch {
    return undefined
  }
  if (!response.ok) throw new Error(`The server at ${origin} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as AuditReport
}

async function openAndLook(databaseUrl: string | undefined, dataDir: string): Promise<AuditReport> {
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'database')))
    throw new Error(`There is no database in ${dataDir} yet. Start it once: npm run demo`)
  // Opening it would bring its tables up to date, under the feet of the build that it serves.
  const [missing] = databaseUrl === undefined ? [] : await missingMigrations(databaseUrl)
  if (missing !== undefined)
    throw new Error(`The database is behind this build: it lacks migration ${missing}. Start the server once.`)
  const db = await openDatabase({ databaseUrl, dataDir, log: () => {} })
  try {
    const mark = await readAuditMark(db)
    return { postings: String(mark.lastPosting), breaches: await findBreaches(db, FROM_THE_BEGINNING, mark) }
  } finally {
    await db.close()
  }
}
