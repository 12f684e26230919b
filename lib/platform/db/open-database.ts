import type { Database, DatabaseSettings } from './database'

/**
 * Opens the database and migrates it. An embedded database is locked for this process.
 * @throws Error named StartError, with a one-line message, when the folder is in use or unreadable, the server does not
 * answer, or the migrations do not match.
 */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const { databaseUrl, dataDir, ...options } = settings
  if (databaseUrl !== undefined) return (await import('./postgres')).openPostgres(databaseUrl, options)
  return (await import('./embedded')).openEmbedded(dataDir, options)
}
