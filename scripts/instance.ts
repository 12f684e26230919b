import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, type Database } from '../lib/platform/db/database'
import { missingMigrations } from '../lib/platform/db/postgres'
import { originHere } from '../sandbox/ports'

// For commands beside a server: the running one is asked, which has the embedded folder to itself, and the database is opened
// only when nothing runs.

export type Environment = Readonly<Record<string, string>>

/**
 * Posts to the running server. Undefined when nothing answers, or nobody has said what its secret is.
 * @throws Error when what answers says anything but 200.
 */
export async function askRunning(
  env: Environment,
  path: string,
  request: (secret: string, nowSeconds: number) => RequestInit,
): Promise<unknown> {
  const { NEXTAUTH_SECRET: secret } = env
  if (!secret) return undefined
  let refusal: Error | undefined
  for (const origin of originsOf(env)) {
    const init = { ...request(secret, Math.floor(Date.now() / 1000)), method: 'POST' }
    const response = await fetch(`${origin}${path}`, init).catch(() => undefined)
    if (response?.ok === true) return response.json()
    if (response === undefined) continue
    refusal ??= new Error(`The server at ${origin} answered ${response.status}: ${await response.text()}`)
    // Who refuses may be another server than ours; who fails has perhaps begun, and is not asked twice.
    if (response.status >= 500) break
  }
  if (refusal !== undefined) throw refusal
  return undefined
}

/** The server's own port on this machine, then its public name: from here, that may lead nowhere. */
function originsOf({ NEXTAUTH_URL, HOST, PORT }: Environment): string[] {
  const here = originHere(HOST, PORT || '3000')
  return NEXTAUTH_URL ? [...new Set([here, NEXTAUTH_URL.replace(/\/$/, '')])] : [here]
}

/** @throws Error when there is no database yet, or it is behind this build. */
export async function openStopped(databaseUrl: string | undefined, dataDir: string): Promise<Database> {
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'database')))
    throw new Error(`There is no database in ${dataDir} yet. Start it once: npm run demo`)
  // Opening it would bring its tables up to date, under the feet of the build that it serves.
  const [missing] = databaseUrl === undefined ? [] : await missingMigrations(databaseUrl)
  if (missing !== undefined)
    throw new Error(`The database is behind this build: it lacks migration ${missing}. Start the server once.`)
  return openDatabase({ databaseUrl, dataDir, log: () => {} })
}
