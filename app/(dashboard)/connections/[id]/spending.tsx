import { Amount } from '@/components/ui/amount'
import type { CurrencyCode } from '@/lib/money/currencies'
import { MAX_SPENDING_PAYMENTS, type DaySpending, type Spending } from '@/lib/payments/queries'
import { daysInMonth, monthAndYear } from '@/lib/web/time'

interface Props {
  readonly spending: Spending
  /** The first day of the month, UTC. */
  readonly since: Date
}

/** What the app has spent this month: the sum of each currency, a bar for each day, and the same as a table. */
export function SpendingOfMonth({ spending: { days, isComplete }, since }: Props) {
  const month = monthAndYear(since)
  return (
    <section aria-labelledby="spending" className="mt-8">
      <h2 id="spending">Spent in {month}</h2>
      {days.length === 0 ? <p className="mt-2 text-muted">Nothing.</p> : null}
      {isComplete ? null : (
        <p className="mt-2 text-muted">
          Only the newest {MAX_SPENDING_PAYMENTS.toLocaleString('en-GB')} payments are counted.
        </p>
      )}
      {byCurrency(days).map(([code, ofCode]) => (
        <figure key={code} className="mt-3">
          <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span className="font-serif text-xl">
              <Amount units={ofCode.reduce((sum, { debit }) => sum + debit, 0n)} code={code} />
            </span>
            <span className="label">{inPayments(ofCode.reduce((sum, { payments }) => sum + payments, 0))}</span>
          </figcaption>
          <Bars days={ofCode} since={since} />
        </figure>
      ))}
      {days.length === 0 ? null : <Table days={days} month={month} />}
    </section>
  )
}

/** Units of the drawing. */
const STEP = 10
const HEIGHT = 48

/** The highest bar is the day on which the app spent most. The figures are in the table. */
function Bars({ days, since }: { readonly days: readonly DaySpending[]; readonly since: Date }) {
  const most = days.reduce((max, { debit }) => (debit > max ? debit : max), 1n)
  const count = daysInMonth(since)
  return (
    <svg
      viewBox={`0 0 ${count * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="mt-2 h-12 w-full border-b border-muted text-accent"
      aria-hidden="true"
    >
      {days.map(({ day, debit }) => {
        // Rounded up, so that a small amount is visible.
        const height = Number((debit * BigInt(HEIGHT) + most - 1n) / most)
        return (
          <rect
            key={day}
            x={(Number(day.slice(-2)) - 1) * STEP + 1}
            y={HEIGHT - height}
            width={STEP - 2}
            height={height}
            fill="currentColor"
          />
        )
      })}
    </svg>
  )
}

function Table({ days, month }: { readonly days: readonly DaySpending[]; readonly month: string }) {
  return (
    <details className="mt-1">
      <summary className="tap">By day</summary>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">Spent by day in {month}</caption>
        <thead className="label">
          <tr>
            <th className="pb-1 font-normal">Day (UTC)</th>
            <th className="pb-1 text-right font-normal">Payments</th>
            <th className="pb-1 text-right font-normal">Amount</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, code, debit, payments }) => (
            <tr key={`${day} ${code}`} className="line">
              <td className="py-1.5">
                <time dateTime={day}>
                  {Number(day.slice(-2))} {month}
                </time>
              </td>
              <td className="figures py-1.5 text-right">{payments.toLocaleString('en-GB')}</td>
              <td className="py-1.5 text-right">
                <Amount units={debit} code={code} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

function inPayments(count: number): string {
  return count === 1 ? '1 payment' : `${count.toLocaleString('en-GB')} payments`
}

function byCurrency(days: readonly DaySpending[]): [CurrencyCode, DaySpending[]][] {
  const groups = new Map<CurrencyCode, DaySpending[]>()
  for (const day of days) groups.set(day.code, [...(groups.get(day.code) ?? []), day])
  return [...groups]
}
