import { Pool, types, type PoolClient } from 'pg'
import { WalletError } from 'uma-auth-vasp'

export type Database = Pick<PoolClient, 'query'>

export function openPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    connectionTimeoutMillis: 2_000,
    // A request that waits longer for a lock, or for the server, is refused.
    options: '-c lock_timeout=5s -c statement_timeout=8s -c idle_in_transaction_session_timeout=10s',
    // Amounts are bigint columns, which pg returns as text unless it is told otherwise.
    types: {
      getTypeParser: (oid, format) => (oid === types.builtins.INT8 ? BigInt : types.getTypeParser(oid, format)),
    },
  })
  // Without a listener, the loss of an idle connection ends the process.
  pool.on('error', (error) => console.error('A database connection was lost.', error))
  return pool
}

/** The first row, if there is one. A parameter that is undefined is null. A database that does not answer is a 503. */
export async function first<Row>(db: Database, text: string, ...values: unknown[]): Promise<Row | undefined> {
  const { rows } = await db.query<Row & object>(text, values).catch(notAvailable)
  return rows[0]
}

/**
 * Commits what `work` has written, or nothing. Until the commit is sent, every error means that nothing was written. An error of
 * the commit itself leaves the outcome open: it is thrown as it is, and the package answers a payment with 504.
 */
export async function transaction<Result>(pool: Pool, work: (db: Database) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch(notAvailable)
  let isCommitting = false
  try {
    await client.query('begin')
    const result = await work(client)
    isCommitting = true
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    // A connection that does not even roll back does not return to the pool.
    client.release(await client.query('rollback').then(() => false, Boolean))
    if (isCommitting) throw error
    return notAvailable(error)
  }
}

/** Answers 503 with `Retry-After`. Only an error of a commit does not come here, so nothing was paid. */
function notAvailable(cause: unknown): never {
  if (cause instanceof WalletError) throw cause
  throw new WalletError('INTERNAL', 'The bank is not available. Nothing was paid.', { cause, retryAfterSeconds: 5 })
}
