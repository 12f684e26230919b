import { PrismaPGlite } from 'pglite-prisma-adapter'

interface Transaction {
  commit(): Promise<void>
  onError(error: unknown): never
}
interface Connection {
  transaction(run: (transaction: unknown) => Promise<unknown>): Promise<unknown>
}
interface Adapter {
  startTransactionInner(connection: Connection, options: unknown): Promise<Transaction>
}

/**
 * The adapter reports success when the COMMIT of an interactive transaction fails (version 0.7.2): a deferred trigger
 * rejects it, the rows are rolled back, and the caller still receives success. Here `commit` waits for the database's
 * result.
 */
export class SafePGliteAdapter extends PrismaPGlite {
  override async connect(): ReturnType<PrismaPGlite['connect']> {
    const adapter = await super.connect()
    const inner = adapter as unknown as Adapter
    const begin = inner.startTransactionInner.bind(inner)
    inner.startTransactionInner = async (connection, options) => {
      let outcome: Promise<unknown> = Promise.resolve()
      const transaction = await begin({ transaction: (run) => (outcome = connection.transaction(run)) }, options)
      const commit = transaction.commit.bind(transaction)
      transaction.commit = async () => {
        await commit()
        try {
          await outcome
        } catch (error) {
          transaction.onError(error)
        }
      }
      return transaction
    }
    return adapter
  }
}
