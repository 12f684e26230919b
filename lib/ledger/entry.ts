import type { Database } from '../platform/db/database'
import { sqlState } from '../platform/db/sql-state'
import { statement } from '../platform/db/statement'
import { VaspError } from '../platform/errors'
import { mergeLines, type Line } from './conversion'

export type EntryKind =
  'opening' | 'faucet' | 'reset' | 'exchange' | 'payment' | 'hold' | 'release' | 'settle' | 'receive' | 'loss'

const POST_ENTRY = statement<{ entry_id: bigint; replayed: boolean }>(
  'post_entry',
  `select entry_id, replayed from post_entry($1, $2, $3::bigint[], $4::bigint[], null, null, coalesce($5::timestamptz, now()))`,
)

/**
 * Posts one entry in one round trip. The same key with the same lines is posted once, however often it is sent.
 * @throws VaspError INSUFFICIENT_BALANCE when a user's account would fall below zero; nothing is posted then.
 * @throws VaspError OTHER when the key was used for other lines.
 * @throws Error LG001 when the lines do not sum to zero in each currency, LG006 when a line names an account that does not
 * exist.
 */
export async function postEntry(
  db: Database,
  entry: {
    readonly kind: EntryKind
    readonly key: string
    readonly lines: readonly Line[]
    /** The time of an entry of the past, which only an example month of the sandbox has. */
    readonly at?: Date | undefined
  },
): Promise<{ readonly entryId: bigint; readonly replayed: boolean }> {
  const lines = mergeLines(entry.lines)
  const params = [
    entry.kind,
    entry.key,
    lines.map((line) => line.accountId),
    lines.map((line) => line.amount),
    entry.at?.toISOString() ?? null,
  ]
  const [row] = await refusing(() => db.query(POST_ENTRY, params))
  if (row === undefined) throw new Error('post_entry returned no row')
  return { entryId: row.entry_id, replayed: row.replayed }
}

/** Translates refusals by the database's money rules into errors for the user. */
export async function refusing<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (isOverdraft(error)) throw insufficientBalance(error)
    if (sqlState(error) === 'LG002')
      throw new VaspError(
        400,
        'OTHER',
        'This request id was used for another request. Reload the page and try again.',
        {
          cause: error,
          isIdReused: true,
        },
      )
    throw error
  }
}

/** Whether the database refused because a user's account would have fallen below zero. */
export function isOverdraft(error: unknown): boolean {
  return sqlState(error) === '23514' && constraintOf(error) === 'ledger_accounts_balance_not_negative'
}

/** The refusal of a debit that no wallet covers: 400 INSUFFICIENT_BALANCE. */
export function insufficientBalance(cause?: unknown): VaspError {
  return new VaspError(400, 'INSUFFICIENT_BALANCE', 'The wallet does not hold enough money for this.', { cause })
}

function constraintOf(error: unknown): string | undefined {
  return (error as { constraint?: string }).constraint
}
