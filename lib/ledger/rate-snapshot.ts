import { createHash } from 'node:crypto'
import {
  CURRENCY_CODES,
  isCurrencyCode,
  rateOf,
  type CurrencyCode,
  type Rate,
  type RateTable,
} from '../money/currencies'
import { setBounded } from '../platform/concurrency/bounded-map'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/** Reads the rates of payments. They are stored, so that old payments can be shown at their own rates. */
export interface StoredRates {
  /**
   * The rates of a stored snapshot. They never change, so each snapshot is read once. A currency that was added later has no
   * rate in the snapshot, so its listed rate is used: a completed payment always has an amount in every currency.
   */
  ofSnapshot(id: string): Promise<RateTable>
}

/** The rates of all currencies at one moment. Immutable. */
export interface RateSnapshot {
  /** SHA-256 of the rates as text. A payment stores it. */
  readonly snapshotId: string
  readonly rateOf: RateTable
}

/** The rates of this process, and those of earlier payments. */
export interface Rates extends StoredRates {
  /**
   * The rates at this moment. A use case calls this once, when it begins, and uses that snapshot until it ends: the price of a
   * payment and its ledger entry then use the same rates, however long the use case waits for another VASP. Reads no database.
   */
  current(): RateSnapshot
}

const INSERT = statement(
  'insert_rate_snapshot',
  `insert into rate_snapshots (id, rates) values ($1, $2::jsonb) on conflict do nothing`,
)
const READ = statement<{ rates: [string, string, string][] }>(
  'read_rate_snapshot',
  `select rates from rate_snapshots where id = $1`,
)

/** The maximum number of snapshots that a process caches, each of at most one kilobyte. */
const MAX_KNOWN = 1_000

/** The snapshot of a table, with the rates as they are now. */
export function snapshotOf(table: RateTable): RateSnapshot {
  const rates = new Map(CURRENCY_CODES.map((code) => [code, table(code)]))
  return { snapshotId: createHash('sha256').update(textOf(table)).digest('hex'), rateOf: tableOf(rates) }
}

/** Stores the listed rates, which `current` then returns. */
export async function openRates(db: Database): Promise<Rates> {
  const snapshot = snapshotOf(rateOf)
  await storeSnapshot(db, snapshot)
  const known = new Map<string, RateTable>([[snapshot.snapshotId, snapshot.rateOf]])
  return {
    current: () => snapshot,
    async ofSnapshot(id) {
      const earlier = known.get(id)
      if (earlier !== undefined) return earlier
      const table = await readSnapshot(db, id)
      setBounded(known, id, table, MAX_KNOWN)
      return table
    },
  }
}

/** Stores a snapshot, so that payments can refer to it. Another instance may have stored it first. */
export async function storeSnapshot(db: Database, { snapshotId, rateOf: table }: RateSnapshot): Promise<void> {
  await db.query(INSERT, [snapshotId, textOf(table)])
}

function textOf(table: RateTable): string {
  return JSON.stringify(
    CURRENCY_CODES.map((code) => [code, String(table(code).numerator), String(table(code).denominator)]),
  )
}

function tableOf(rates: ReadonlyMap<CurrencyCode, Rate>): RateTable {
  return (code) => rates.get(code) ?? rateOf(code)
}

async function readSnapshot(db: Database, id: string): Promise<RateTable> {
  const [row] = await db.query(READ, [id])
  if (row === undefined) throw new Error(`no rate snapshot ${id}`)
  const rates = new Map<CurrencyCode, Rate>()
  for (const [code, numerator, denominator] of row.rates) {
    if (isCurrencyCode(code)) rates.set(code, { numerator: BigInt(numerator), denominator: BigInt(denominator) })
  }
  return tableOf(rates)
}
