import type { Answers } from './answers'
import type { PrismaClient } from './generated/client'
import type { OnSlowStatement, Statement } from './statement'
import type { DueUpkeep } from './upkeep'

/** The process's only database handle. Both kinds of database return int8 as bigint and int8[] as bigint[]. */
export interface Database {
  readonly kind: 'embedded' | 'postgres'
  /** For `prismaCall`, and for tests. A Prisma read costs about four statements. */
  readonly prisma: PrismaClient
  /** Runs one statement in its own transaction. */
  query<Row = Record<string, unknown>>(statement: Statement<Row>, params?: readonly unknown[]): Promise<Row[]>
  /**
   * Receives the NOTIFY messages of other instances until the handle is closed. A lost connection is opened again;
   * messages sent in between are lost.
   */
  listen(channel: string, onMessage: (text: string) => void): Promise<void>
  /** The pool's open and idle connections, and the callers waiting for one. Absent on the embedded database. */
  connections?(): Readonly<Record<'open' | 'idle' | 'waiting', number>>
  /** What all statements of this process have shown about the database. */
  readonly answers: Readonly<Answers>
  /**
   * The steps, as far as they are due, that make the space of deleted rows usable again and give the planner new statistics. Absent
   * on PostgreSQL, whose autovacuum does this. Steps of a closed database do nothing.
   */
  readonly dueUpkeep?: DueUpkeep
  close(): Promise<void>
}

export interface DatabaseSettings {
  /** URL of a PostgreSQL server. Undefined: the embedded database in `dataDir`. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  readonly log: (message: string) => void
  /** What the sessions of this process are called on a PostgreSQL server. */
  readonly sessionName?: string
  /** Receives each step before it begins, "Creating the embedded database". */
  readonly onStep?: (step: string) => void
  /**
   * The time is that of the statement alone: on PostgreSQL without waiting for a connection of the pool, on the embedded database
   * without waiting for earlier statements. Migrations are not timed.
   */
  readonly onSlowStatement?: OnSlowStatement
  /**
   * Called before the first statement on a database that is not the one of the start: a promoted standby, or a restored backup. No
   * connection to it is used.
   */
  readonly onReplaced?: () => void
}
