import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { operatorCredential, type Subject } from '../lib/audit/operator-request'
import type { Database } from '../lib/platform/db/database'
import { openDatabase } from '../lib/platform/db/open-database'
import { missingMigrations } from '../lib/platform/db/postgres'
import { certificateProblem } from '../lib/platform/net/certificate-problem'
import { originHere } from '../sandbox/shared/ports'

// For commands that an operator runs: a running server is asked, because it locks the embedded folder. The database is
// opened only when no server runs.

export type Environment = Readonly<Record<string, string>>

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

/** The server's own port on this machine, then its public name, which may not be reachable from here. */
function originsOf({ NEXTAUTH_URL, HOST, PORT }: Environment): string[] {
  const here = originHere(HOST, PORT || '3000')
  return NEXTAUTH_URL ? [...new Set([here, NEXTAUTH_URL.replace(/\/$/, '')])] : [here]
}

/** @throws Error when there is no database yet, or it is behind this build. */
export async function openStopped(databaseUrl: string | undefined, dataDir: string): Promise<Database> {
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'database')))
    throw new Error(`There is no database in ${dataDir} yet. Start the server once: npm run demo`)
  // Opening it would migrate it while a server of an older build uses it.
  const [missing] = databaseUrl === undefined ? [] : await missingMigrations(databaseUrl)
  if (missing !== undefined)
    throw new Error(`The database is behind this build: it lacks migration ${missing}. Start the server once.`)
  return openDatabase({ databaseUrl, dataDir, log: () => {} })
}
