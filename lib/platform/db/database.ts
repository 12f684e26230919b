import type { PrismaClient } from './generated/client'
import type { Statement } from './statement'

/** The process's one handle. int8 arrives as bigint and int8[] as bigint[] on both kinds. */
export interface Database {
  readonly kind: 'embedded' | 'postgres'
  /** For plain reads and changes of one table behind pages and at start. A Prisma read costs about four statements. */
  readonly prisma: PrismaClient
  /** One statement, committed by itself. */
  query<Row = Record<string, unknown>>(statement: Statement<Row>, params?: readonly unknown[]): Promise<Row[]>
  /**
   * Hears what other instances say with NOTIFY, until the handle is closed. A connection that is lost is opened again; what
   * was said in between is not heard.
   */
  listen(channel: string, onMessage: (text: string) => void): Promise<void>
  close(): Promise<void>
}

export interface DatabaseSettings {
  /** A PostgreSQL server; without it the embedded database in `dataDir` is used. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  readonly log: (message: string) => void
}

/**
 * Opens the database, alone where it is embedded, and brings its tables up to date.
 * @throws Error named StartError with one line for a folder in use, a folder that cannot be read, a server that does not
 * answer, and migrations that do not fit.
 */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const { databaseUrl, dataDir, log } = settings
  if (databaseUrl !== undefined) return (await import('./postgres')).openPostgres(databaseUrl, log)
  return (await import('./embedded')).openEmbedded(dataDir, log)
}
