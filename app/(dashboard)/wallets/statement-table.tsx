import { pageZone } from '@/components/page-zone'
import type { CurrencyCode } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import type { StatementLine } from '@/lib/wallets/queries'
import { byMonth, dateAndTime, dayAndTime, zoneInWords } from '@/lib/web/time'
import { hrefOf } from './line-text'
import { MonthRow } from './month-row'
import { StatementRows, type StatementRow } from './statement-rows'

interface Props {
  readonly caption: string
  readonly code: CurrencyCode
  readonly lines: readonly StatementLine[]
  /** The lines grouped by month, newest first. */
  readonly months?: boolean
  readonly zone?: string
}

/** A statement: each entry with its amount and the balance after it. Two columns on a phone, four in print. */
export function StatementTable({ caption, code, lines, months = false, zone = pageZone() }: Props) {
  return (
    <table className="w-full border-collapse text-left">
      <caption className="sr-only">{caption}</caption>
      <thead className="label max-md:sr-only">
        <tr>
          <th className="w-32 pb-1 font-normal">Date ({zoneInWords(zone)})</th>
          <th className="pb-1 font-normal">Description</th>
          <th className="pb-1 text-right font-normal">Amount</th>
          <th className="w-36 pb-1 text-right font-normal">Balance</th>
        </tr>
      </thead>
      {(months ? byMonth(lines, zone) : [['', lines] as const]).map(([month, group]) => (
        <tbody key={month}>
          {months ? <MonthRow month={month} columns={4} /> : null}
          <StatementRows rows={group.map((line) => toRow(line, code, zone))} />
        </tbody>
      ))}
    </table>
  )
}

function toRow(
  { id, at, text, memo, about, amount, balance }: StatementLine,
  code: CurrencyCode,
  zone: string,
): StatementRow {
  return {
    id: String(id),
    live: `${id} ${amount} ${code}`,
    at: at.toISOString(),
    fullDate: dateAndTime(at),
    date: dayAndTime(at, zone),
    text,
    memo,
    href: hrefOf(about),
    amount: (amount > 0n ? '+' : '') + formatAmount(amount, code),
    balance: formatAmount(balance, code),
  }
}
