import { snapshotOf, storeSnapshot, type RateSnapshot } from '@/lib/ledger/rate-snapshot'
import { rateOf, type CurrencyCode } from '@/lib/money/currencies'
import type { Database } from '@/lib/platform/db/database'
import type { TestVasp } from './vasp'

/** Per mille of the listed rates. With such small steps, another VASP accepts a price that has moved since its lookup. */
const LEVELS = [1_000n, 1_003n, 997n, 1_007n, 993n, 1_001n, 999n] as const

/**
 * Lets the rates of a VASP move whenever they are read: a use case that reads them twice gets two different snapshots.
 * @returns the number of reads so far.
 */
export async function moveRatesAtEachRead({ app: { db, rates } }: TestVasp): Promise<() => number> {
  const snapshots = LEVELS.map((level) => snapshotOf((code) => scaled(code, level)))
  for (const snapshot of snapshots) await storeSnapshot(db, snapshot)
  let reads = 0
  Object.assign(rates, {
    current: (): RateSnapshot => {
      const snapshot = snapshots[reads % snapshots.length]
      reads += 1
      if (snapshot === undefined) throw new Error('there is no snapshot')
      return snapshot
    },
  })
  return () => reads
}

/** A currency moves by one of three amounts, so that the rates of most pairs change. Satoshis do not move. */
function scaled(code: CurrencyCode, level: bigint) {
  const { numerator, denominator } = rateOf(code)
  if (code === 'SAT') return { numerator, denominator }
  const change = (level - 1_000n) * BigInt(1 + (code.charCodeAt(0) % 3))
  return { numerator: numerator * (1_000n + change), denominator: denominator * 1_000n }
}

interface BookedRow {
  readonly entry_id: bigint
  readonly kind: string
  readonly snapshot: string | null
  readonly codes: string[]
  readonly amounts: bigint[]
}

/**
 * Recomputes the exchange of every journal entry from the stored rates of its payment, or of its fixed-rate invoice. An entry that
 * stores no rates (a conversion, or a payment received at the current rate) has to match one snapshot.
 * @returns the entries that differ.
 */
export async function entriesOffTheirRates(db: Database): Promise<string[]> {
  const rows = await db.query<BookedRow>({
    name: 'test_booked_exchanges',
    text: `select e.id as entry_id, e.kind, coalesce(p.rate_snapshot_id, i.rate_snapshot_id) as snapshot,
                  array_agg(a.currency_code) as codes, array_agg(l.amount) as amounts
           from journal_entries e
           join postings l on l.entry_id = e.id
           join ledger_accounts a on a.id = l.account_id and a.kind = 'fx'
           left join payments p on p.id = e.payment_id
           left join incoming_payments r on r.id = e.incoming_payment_id
           left join invoices i on i.id = r.invoice_id
           group by e.id, e.kind, p.rate_snapshot_id, i.rate_snapshot_id`,
  })
  const stored = await storedRates(db)
  return rows.flatMap((row) => {
    const candidates = row.snapshot === null ? [...stored.values()] : [stored.get(row.snapshot)]
    const fits = candidates.some((rates) => rates !== undefined && isBookedAt(row, rates))
    return fits ? [] : [`${row.kind} ${row.entry_id}`]
  })
}

type StoredRates = ReadonlyMap<string, readonly [numerator: bigint, denominator: bigint]>

async function storedRates(db: Database): Promise<ReadonlyMap<string, StoredRates>> {
  const rows = await db.query<{ id: string; rates: [string, string, string][] }>({
    name: 'test_all_rate_snapshots',
    text: 'select id, rates from rate_snapshots',
  })
  return new Map(
    rows.map(({ id, rates }) => [id, new Map(rates.map(([code, up, down]) => [code, [BigInt(up), BigInt(down)]]))]),
  )
}

/** The operator takes a currency at its value rounded down, and pays one out at its value rounded up. */
function isBookedAt({ codes, amounts }: BookedRow, rates: StoredRates): boolean {
  let expected = 0n
  let booked = 0n
  for (const [index, code] of codes.entries()) {
    const amount = amounts[index] ?? 0n
    if (code === 'SAT') {
      booked += amount
      continue
    }
    const [numerator, denominator] = rates.get(code) ?? [0n, 1n]
    expected -=
      amount > 0n ? (amount * numerator) / denominator : -((-amount * numerator + denominator - 1n) / denominator)
  }
  return expected === booked
}

/** The quotes of users of this VASP whose invoice was computed at other rates. */
export async function quotesOffTheirInvoices(db: Database): Promise<string[]> {
  const rows = await db.query<{ payment_hash: string }>({
    name: 'test_quotes_off_their_invoices',
    text: `select q.payment_hash from quotes q join invoices i on i.payment_hash = q.payment_hash
           where q.protocol = 'own' and q.rate_snapshot_id is distinct from i.rate_snapshot_id`,
  })
  return rows.map(({ payment_hash: hash }) => hash)
}

interface QuoteRow {
  readonly payment_hash: string
  readonly code: string
  readonly locked_side: string
  readonly debit: bigint
  readonly amount_msats: bigint
  readonly rate_snapshot_id: string
  readonly paid_at_other_rates: boolean
}

/** The quotes whose price does not follow from their stored rates, or whose payment has other rates or another debit. */
export async function quotesOffTheirRates(db: Database): Promise<string[]> {
  const rows = await db.query<QuoteRow>({
    name: 'test_quotes_and_rates',
    text: `select q.payment_hash, w.currency_code as code, q.locked_side, q.debit, q.amount_msats, q.rate_snapshot_id,
                  exists (select from payments p where p.quote_id = q.id
                          and (p.rate_snapshot_id <> q.rate_snapshot_id or p.debit <> q.debit)) as paid_at_other_rates
           from quotes q join wallets w on w.id = q.wallet_id where w.currency_code <> 'SAT'`,
  })
  const stored = await storedRates(db)
  return rows.flatMap((row) => {
    const [numerator, denominator] = stored.get(row.rate_snapshot_id)?.get(row.code) ?? [0n, 1n]
    const isRight =
      row.locked_side === 'sending'
        ? (row.debit * numerator) / denominator === row.amount_msats
        : (row.amount_msats * denominator + numerator - 1n) / numerator === row.debit
    return isRight && !row.paid_at_other_rates ? [] : [row.payment_hash]
  })
}
