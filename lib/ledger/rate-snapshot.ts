import { createHash } from 'node:crypto'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { CURRENCY_CODES, isCurrencyCode, type CurrencyCode, rateOf, type Rate } from '../money/currencies'
import type { RateTable } from '../money/ledger-units'

/** The rates of payments. They are stored, so that old payments can be shown at their own rates. */
export interface Rates {
  /** Id of today's rates: SHA-256 of their text. */
  readonly snapshotId: string
  /**
   * The rates of a stored snapshot. They never change, so each is read once. For a currency that was added later, the
   * snapshot has no rate, and today's is used: a completed payment always has an amount in every currency.
   */
  ofSnapshot(id: string): Promise<RateTable>
}

const INSERT = statement(
  'insert_rate_snapshot',
  `insert into rate_snapshots (id, rates) values ($1, $2::jsonb) on conflict do nothing`,
)
const READ = statement<{ rates: [string, string, string][] }>(
  'read_rate_snapshot',
  `select rates from rate_snapshots where id = $1`,
)

/** Stores today's rates. Another instance may have stored them first. */
export async function openRates(db: Database): Promise<Rates> {
  const text = JSON.stringify(
    CURRENCY_CODES.map((code) => [code, String(rateOf(code).numerator), String(rateOf(code).denominator)]),
  )
  const snapshotId = createHash('sha256').update(text).digest('hex')
  await db.query(INSERT, [snapshotId, text])
  const known = new Map<string, RateTable>([[snapshotId, rateOf]])
  return {
    snapshotId,
    async ofSnapshot(id) {
      const table = known.get(id) ?? (await readSnapshot(db, id))
      known.set(id, table)
      return table
    },
  }
}

async function readSnapshot(db: Database, id: string): Promise<RateTable> {
  const [row] = await db.query(READ, [id])
  if (row === undefined) throw new Error(`no rate snapshot ${id}`)
  const rates = new Map<CurrencyCode, Rate>()
  for (const [code, numerator, denominator] of row.rates) {
    if (isCurrencyCode(code)) rates.set(code, { numerator: BigInt(numerator), denominator: BigInt(denominator) })
  }
  return (code) => rates.get(code) ?? rateOf(code)
}
