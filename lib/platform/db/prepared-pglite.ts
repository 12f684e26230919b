import {
  messages,
  parse,
  PGlite,
  protocol,
  type QueryOptions,
  type Results,
  type Transaction,
} from '@electric-sql/pglite'

/** What the engine says about a statement that it keeps under a name. */
interface Prepared {
  readonly name: string
  readonly parameterTypes: readonly number[]
  /** Absent where the statement returns no rows. */
  readonly columns: messages.RowDescriptionMessage | undefined
}

/** More than the product has. Prisma's texts vary with the length of their lists, so that their number has no bound. */
const KEPT = 300
/** The function that refuses a kept plan after a change of its tables: "cached plan must not change result type". */
const OUTDATED = { code: '0A000', routine: 'RevalidateCachedQuery' }

const { serialize } = protocol

/**
 * PGlite parses and plans a statement at each call, which takes longer than most of our statements themselves. Here a text with
 * parameters is parsed once and kept as a named prepared statement, also for Prisma's adapter. Results and errors are those of
 * PGlite.
 */
export class PreparedPGlite extends PGlite {
  readonly #kept = new Map<string, Prepared>()
  #named = 0

  override async query<Row>(text: string, params: unknown[] = [], options?: QueryOptions): Promise<Results<Row>> {
    if (params.length === 0) return super.query<Row>(text, params, options)
    /* oxlint-disable no-underscore-dangle -- PGlite offers its queue of transactions to subclasses under these names. */
    await this._checkReady()
    return this._runExclusiveTransaction(async () => {
      /* oxlint-enable no-underscore-dangle */
      try {
        return await this.#run<Row>(text, params, options)
      } catch (error) {
        if (!isOutdated(error) || this.isInTransaction()) throw error
        return this.#run<Row>(text, params, options)
      }
    })
  }

  override transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return super.transaction((transaction) => {
      const query: Transaction['query'] = (text, params = [], options) =>
        transaction.closed || params.length === 0
          ? transaction.query(text, params, options)
          : this.#run(text, params, options)
      return work({
        ...transaction,
        query,
        get closed() {
          return transaction.closed
        },
      })
    })
  }

  #run<Row>(text: string, params: readonly unknown[], options?: QueryOptions): Promise<Results<Row>> {
    return this.runExclusive(async () => {
      const prepared = this.#kept.get(text) ?? (await this.#prepare(text))
      const { name, parameterTypes, columns } = prepared
      const values = params.map((value, index) => this.#valueOf(value, parameterTypes[index]))
      // Last in the map, which keeps the order of insertion.
      this.#kept.delete(text)
      this.#kept.set(text, prepared)
      const answers = await this.#send(serialize.bind({ statement: name, values }), serialize.execute()).catch(
        async (error: unknown) => {
          // After a change of its tables, a statement may fail until it is parsed again.
          await this.#forget(text, name).catch(() => undefined)
          throw error
        },
      )
      const all = columns === undefined ? answers : [columns, ...answers]
      return parse.parseResults(all, this.parsers, options)[0] as Results<Row>
    })
  }

  async #prepare(text: string): Promise<Prepared> {
    if (this.#kept.size >= KEPT) {
      const [longestUnused] = this.#kept
      if (longestUnused !== undefined) await this.#forget(longestUnused[0], longestUnused[1].name)
    }
    const name = `kept_${(this.#named += 1)}`
    const answers = await this.#send(serialize.parse({ name, text }), serialize.describe({ type: 'S', name }))
    const prepared = {
      name,
      parameterTypes: parse.parseDescribeStatementResults(answers),
      columns: answers.find((answer) => answer instanceof messages.RowDescriptionMessage),
    }
    this.#kept.set(text, prepared)
    return prepared
  }

  async #forget(text: string, name: string): Promise<void> {
    this.#kept.delete(text)
    await this.#send(serialize.close({ type: 'S', name }))
  }

  #valueOf(value: unknown, type = 0): string | null {
    if (value === null || value === undefined) return null
    const write = this.serializers[type]
    // As PGlite writes a value of a type that it does not know.
    return write === undefined ? (value as string | number).toString() : write(value)
  }

  /** Sends the messages at once, and a Sync, after which the engine accepts the next even if one of them failed. */
  #send(...parts: readonly Uint8Array[]): Promise<messages.BackendMessage[]> {
    return this.execProtocolStream(Buffer.concat([...parts, serialize.sync()]), { syncToFs: false })
  }
}

function isOutdated(error: unknown): boolean {
  return error instanceof messages.DatabaseError && error.code === OUTDATED.code && error.routine === OUTDATED.routine
}
