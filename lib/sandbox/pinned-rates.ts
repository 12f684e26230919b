import { snapshotOf, storeSnapshot, type Rates, type RateSnapshot, type StoredRates } from '../ledger/rate-snapshot'
import {
  MOVABLE_CODES,
  priceRange,
  rateAtPrice,
  unitsPerBitcoin,
  type MovableCode,
  type PriceStep,
} from '../money/bitcoin-price'
import { rateOf, type CurrencyCode, type RateTable } from '../money/currencies'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import type { Log } from '../platform/log'

/** The price of one bitcoin, in smallest units of the currency. */
export interface MovableRate {
  readonly code: MovableCode
  readonly listedUnits: bigint
  readonly currentUnits: bigint
  readonly isPinned: boolean
}

/** Pins and moves the rates of all instances, for a presenter. Exists with the sandbox tools only. */
export interface PinnedRates {
  /** The listed rates, each replaced by its pinned rate if there is one. */
  readonly rates: Rates
  /** The rates that this process uses. */
  list(): readonly MovableRate[]
  /** Sets the price of one bitcoin. Returns false, and changes nothing, for a price outside `priceRange`. */
  pin(code: MovableCode, units: bigint): Promise<boolean>
  /**
   * Changes the current price by `percent`, rounded down, and pins it. Returns false, and changes nothing, for a new price outside
   * `priceRange`.
   */
  move(code: MovableCode, percent: PriceStep): Promise<boolean>
  /** Returns one currency, or all of them, to the listed price. */
  unpin(code?: MovableCode): Promise<void>
  /** Reads the pinned rates again, in case a notification was lost. */
  reload(): Promise<void>
}

interface Ports {
  readonly db: Database
  readonly log: Log
  readonly listed: StoredRates
}

const CHANNEL = 'pinned_rates'
const RELOAD_EVERY_MS = 5_000
const NOTIFY = `pg_notify('${CHANNEL}', '')::text as notified`
interface Changed {
  readonly notified: string
}

const READ = statement<{ currency_code: string; units_per_bitcoin: bigint }>(
  'read_pinned_rates',
  `select currency_code, units_per_bitcoin from pinned_rates`,
)
const PIN = statement<Changed>(
  'pin_rate',
  `insert into pinned_rates (currency_code, units_per_bitcoin, pinned_at) values ($1, $2, clock_timestamp())
   on conflict (currency_code) do update
     set units_per_bitcoin = excluded.units_per_bitcoin, pinned_at = excluded.pinned_at
   returning ${NOTIFY}`,
)
/**
 * Of two moves at the same instant, the second waits for the first and starts from its price. $2 is the listed price, from which the
 * first move starts: one step from it is always in range. Integer division rounds down.
 */
const MOVE = statement<Changed>(
  'move_rate',
  `insert into pinned_rates as p (currency_code, units_per_bitcoin, pinned_at)
     values ($1, $2::bigint * (100 + $3::int) / 100, clock_timestamp())
   on conflict (currency_code) do update
     set units_per_bitcoin = p.units_per_bitcoin * (100 + $3::int) / 100, pinned_at = excluded.pinned_at
     where p.units_per_bitcoin * (100 + $3::int) / 100 between $4 and $5
   returning ${NOTIFY}`,
)
const UNPIN = statement<Changed>(
  'unpin_rates',
  `delete from pinned_rates where $1::text is null or currency_code = $1 returning ${NOTIFY}`,
)

/** Reads the pinned rates before it returns, so that no request is answered with outdated rates. */
export async function openPinnedRates({ db, log, listed }: Ports): Promise<PinnedRates> {
  let snapshot: RateSnapshot = snapshotOf(rateOf)
  let pins: ReadonlyMap<string, bigint> = new Map()

  async function read(): Promise<void> {
    const rows = await db.query(READ)
    // A new version can list another price, which changes the range.
    const found = new Map(
      MOVABLE_CODES.flatMap((code) => {
        const units = rows.find((row) => row.currency_code === code)?.units_per_bitcoin
        return units !== undefined && isInRange(code, units) ? [[code, units] as const] : []
      }),
    )
    const next = snapshotOf(tableWith(found))
    // A payment refers to its snapshot, so the snapshot is stored before it is used.
    if (next.snapshotId !== snapshot.snapshotId) await storeSnapshot(db, next)
    snapshot = next
    pins = found
  }

  let reading: Promise<void> = Promise.resolve()
  /** Reads run one at a time, so that an older result never replaces a newer one. */
  function reload(): Promise<void> {
    reading = reading.catch(() => undefined).then(read)
    return reading
  }
  const warn = (error: unknown): void => log.warn({ error }, 'pinned rates could not be read')
  const reloadLater = (): void => {
    reload().catch(warn)
  }

  async function change(changing: Promise<Changed[]>): Promise<boolean> {
    const rows = await changing
    // The change is stored. A read that fails now is repeated later, and an error would invite a second change.
    await reload().catch(warn)
    return rows.length > 0
  }

  await db.listen(CHANNEL, reloadLater)
  await reload()
  setInterval(reloadLater, RELOAD_EVERY_MS).unref()

  return {
    rates: { current: () => snapshot, ofSnapshot: (id) => listed.ofSnapshot(id) },
    list: () =>
      MOVABLE_CODES.map((code) => ({
        code,
        listedUnits: unitsPerBitcoin(rateOf(code)),
        currentUnits: unitsPerBitcoin(snapshot.rateOf(code)),
        isPinned: pins.has(code),
      })),
    async pin(code, units) {
      return isInRange(code, units) && change(db.query(PIN, [code, units]))
    },
    move(code, percent) {
      const { min, max } = priceRange(code)
      return change(db.query(MOVE, [code, unitsPerBitcoin(rateOf(code)), percent, min, max]))
    },
    async unpin(code) {
      await change(db.query(UNPIN, [code ?? null]))
    },
    reload,
  }
}

function tableWith(pins: ReadonlyMap<string, bigint>): RateTable {
  return (code: CurrencyCode) => {
    const units = pins.get(code)
    return units === undefined ? rateOf(code) : rateAtPrice(units)
  }
}

function isInRange(code: MovableCode, units: bigint): boolean {
  const { min, max } = priceRange(code)
  return units >= min && units <= max
}
