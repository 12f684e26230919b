import { Pool, types, type PoolClient } from 'pg'
import { WalletError } from 'uma-auth-vasp'

export type Database = Pick<PoolClient, 'query'>

export function openPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    connectionTimeoutMillis: 2_000,
    // A request that waits longer for a lock, or for the server, is refused.
    options: '-c lock_timeout=5s -c statement_timeout=8s -c idle_in_transaction_session_timeout=10s',
    // Amounts are bigint columns, which pg reads as text unless it is told otherwise.
    types: { getTypeParser: (oid, format) => (oid === 20 ? BigInt : types.getTypeParser(oid, format)) },
  })
  // The loss of an idle connection would end the process.
  pool.on('error', (error) => console.error('A database connection was lost.', error))
  return pool
}

/**
 * Commits what `work` has written, or nothing. Until the commit is sent, every error means that nothing was written. An error of
 * the commit itself leaves the outcome open: it is thrown as it is, and the package answers a payment with 504.
 */
export async function transaction<Result>(pool: Pool, work: (db: Database) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch(notAvailable)
  try {
    await client.query('begin')
    const result = await work(client).catch(async (error: unknown) => {
      await client.query('rollback')
      return notAvailable(error)
    })
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    // A connection that is in an unknown state does not go back to the pool.
    client.release(!(error instanceof WalletError))
    throw error
  }
}

function notAvailable(cause: unknown): never {
  if (cause instanceof WalletError) throw cause
  throw new WalletError('INTERNAL', 'The bank is not available. Nothing was paid.', { cause, retryAfterSeconds: 5 })
}
