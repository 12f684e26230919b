import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { operatorCredential, type Subject } from '../lib/audit/operator-request'
import { OperatorReply } from '../lib/payments/operator'
import type { Database } from '../lib/platform/db/database'
import { openDatabase } from '../lib/platform/db/open-database'
import { missingMigrations } from '../lib/platform/db/postgres'
import { completeEnvironment, dataDirOf, readSettingsFile } from '../lib/platform/environment.js'
import { certificateProblem } from '../lib/platform/net/certificate-problem'
import { originHere } from '../sandbox/shared/ports'

// For commands that an operator runs: a running server is asked, because it locks the embedded folder. The database is
// opened only when no server runs.

export type Environment = Readonly<Record<string, string>>

/** The settings of the server that a command is for, and its data folder. */
export interface GivenServer {
  readonly env: Environment
  readonly dataDir: string
}

export function givenServer(): GivenServer {
  const dataDir = dataDirOf(process.env)
  return { dataDir, env: completeEnvironment(process.env, readSettingsFile(dataDir) ?? {}) }
}

/** Runs a command. An error is one line on stderr, and exit code 2. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 2
  }
}

/** Has the running server carry out a request, or carries it out on the database when no server runs. Prints the lines of the reply. */
export async function carryOut(
  server: GivenServer,
  about: Extract<Subject, 'payments' | 'users'>,
  request: object,
  onDatabase: (db: Database) => Promise<unknown>,
): Promise<OperatorReply> {
  const answer = await askRunning(server.env, about, request)
  const reply = OperatorReply.parse(answer ?? (await withStopped(server, onDatabase)))
  for (const line of reply.lines) (reply.done ? console.log : console.error)(line)
  process.exitCode = reply.done ? 0 : 1
  return reply
}

/**
 * Posts to the running server. Undefined when no server answers or the secret is not known.
 * @throws Error when the answer is not 200.
 */
export async function askRunning(env: Environment, about: Subject, request: object): Promise<unknown> {
  const { NEXTAUTH_SECRET: secret } = env
  if (!secret) return undefined
  const body = JSON.stringify(request)
  let refusal: Error | undefined
  for (const origin of originsOf(env)) {
    const Authorization = operatorCredential(secret, Math.floor(Date.now() / 1000), body, about)
    const init = { method: 'POST', body, headers: { Authorization, 'Content-Type': 'application/json' } }
    const response = await fetch(`${origin}/-/${about}`, init).catch((error: unknown) => {
      const certificate = certificateProblem(error)
      if (certificate !== undefined) console.error(`The server at ${origin} was not asked: ${certificate}.`)
      return undefined
    })
    if (response?.ok === true) return response.json()
    if (response === undefined) continue
    refusal ??= new Error(`The server at ${origin} answered ${response.status}: ${await response.text()}`)
    // A server that rejects the request may be another one. A server that fails may have started the work, so it is not
    // asked twice.
    if (response.status >= 500) break
  }
  if (refusal !== undefined) throw refusal
  return undefined
}

/** What `/-/ready` of the running server says to an operator. Undefined when no server answers or the secret is not known. */
export async function askReady(env: Environment): Promise<unknown> {
  const { NEXTAUTH_SECRET: secret } = env
  if (!secret) return undefined
  for (const origin of originsOf(env)) {
    const Authorization = operatorCredential(secret, Math.floor(Date.now() / 1000), '', 'ready')
    const response = await fetch(`${origin}/-/ready`, { headers: { Authorization } }).catch(() => undefined)
    if (response !== undefined) return response.json()
  }
  return undefined
}

/** The server's own port on this machine, then its public name, which may not be reachable from here. */
function originsOf({ NEXTAUTH_URL, HOST, PORT }: Environment): string[] {
  const here = originHere(HOST, PORT || '3000')
  return NEXTAUTH_URL ? [...new Set([here, NEXTAUTH_URL.replace(/\/$/, '')])] : [here]
}

/** Opens the database for one piece of work. @throws Error when there is no database yet, or it is behind this build. */
export async function withStopped<Result>(
  { env, dataDir }: GivenServer,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const databaseUrl = env.DATABASE_URL || undefined
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'database')))
    throw new Error(`There is no database in ${dataDir} yet. Start the server once: npm run demo`)
  // Opening it would migrate it while a server of an older build uses it.
  const [missing] = databaseUrl === undefined ? [] : await missingMigrations(databaseUrl)
  if (missing !== undefined)
    throw new Error(`The database is behind this build: it lacks migration ${missing}. Start the server once.`)
  const db = await openDatabase({ databaseUrl, dataDir, log: () => {} })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
