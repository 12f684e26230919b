import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, type Database } from '../lib/db/database'
import { missingMigrations } from '../lib/db/postgres'

// For commands beside a server: the running one is asked, which has the embedded folder to itself, and the database is opened
// only when nothing runs.

export type Environment = Readonly<Record<string, string>>

/**
 * Posts to the running server. Undefined when nothing answers there, or nobody has said what its secret is.
 * @throws Error when it answers anything but 200.
 */
export async function askRunning(
  env: Environment,
  path: string,
  request: (secret: string, nowSeconds: number) => RequestInit,
): Promise<unknown> {
  const { NEXTAUTH_URL, NEXTAUTH_SECRET: secret, PORT = '3000' } = env
  if (secret === undefined) return undefined
  const origin = NEXTAUTH_URL ?? `http://localhost:${PORT}`
  const init = { ...request(secret, Math.floor(Date.now() / 1000)), method: 'POST' }
  const response = await fetch(`${origin}${path}`, init).catch(() => undefined)
  if (response === undefined) return undefined
  if (!response.ok) throw new Error(`The server at ${origin} answered ${response.status}: ${await response.text()}`)
  return response.json()
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
