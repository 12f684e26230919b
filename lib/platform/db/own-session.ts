import type { Client } from 'pg'
import { inTime } from '../concurrency/in-time'
import { startError } from '../start-error'
import { sqlState } from './sql-state'

/** A busy pooler, and one that hands out its sessions in turn, may give the same session again by chance. */
const OTHER_CONNECTIONS = 2
const ROUNDS = 12
const PATIENCE_MS = 2_000
const PROTOCOL_VIOLATION = '08P01'
/** For a connection that competes with no other of this process. */
const OTHER_PATIENCE_MS = 10_000

/**
 * Requires that a connection is one session of the server. Behind a pooler in transaction mode, each transaction gets any session: the
 * settings, prepared statements, locks and notifications of one transaction are missing in the next. Other connections hold
 * transactions open meanwhile, because an idle pooler gives the same session every time.
 * @throws Error named StartError for a pooler in transaction or statement mode, and for one without a second connection.
 */
export async function requireOwnSession(first: Client, connect: () => Promise<Client>): Promise<void> {
  const others: Client[] = []
  try {
    const own = await processOf(first)
    for (let count = 0; count < OTHER_CONNECTIONS; count++) others.push(await connect())
    for (let round = 0; round < ROUNDS; round++)
      for (const other of others) {
        const held = await inTime(takeSession(other), undefined, OTHER_PATIENCE_MS)
        if (held === undefined) throw noConnection()
        if (held === own || (await processBeside(first, other)) !== own) throw pooled()
      }
  } catch (error) {
    // A pooler in statement mode refuses the transaction.
    const isRefusal = sqlState(error) === PROTOCOL_VIOLATION && (error as Error).name !== 'StartError'
    throw isRefusal ? pooled(error) : error
  } finally {
    await Promise.all(others.map((other) => other.end()))
  }
}

/** Until its next transaction, no other connection gets the server process that is returned. */
async function takeSession(client: Client): Promise<number> {
  await client.query('rollback')
  await client.query('begin')
  return processOf(client)
}

/** Undefined when `client` gets no answer and `other` does: it waits for a server process. Both wait where the server is slow. */
async function processBeside(client: Client, other: Client): Promise<number | undefined> {
  const answer = processOf(client)
  const early = await inTime(answer, undefined, PATIENCE_MS)
  if (early !== undefined) return early
  await processOf(other)
  return inTime(answer, undefined, 0)
}

async function processOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

function noConnection(): Error {
  return startError(
    'DATABASE_URL: a second connection gets no answer there. An instance needs eleven at once: raise the pool size of the pooler.',
  )
}

function pooled(cause?: unknown): Error {
  return startError(
    'DATABASE_URL: a connection pooler in transaction or statement mode answers there, and sessions lose their settings and notifications in it. Set its pool_mode to session, or use the address of the PostgreSQL server itself.',
    cause,
  )
}

/** @throws Error named StartError for a standby, and for a database or role that is set to read-only. */
export async function requireWritable(client: Client): Promise<void> {
  const { rows } = await client.query<{ value: string }>(`select current_setting('transaction_read_only') as value`)
  if (rows[0]?.value === 'on')
    throw startError(
      'DATABASE_URL: the database there is read-only, as on a standby. Use the address of the primary server, or reset default_transaction_read_only.',
    )
}
