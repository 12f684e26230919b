import { pageZone } from '@/components/page-zone'
import type { CurrencyCode } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import type { StatementLine } from '@/lib/wallets/queries'
import { dateAndTime, dayAndTime, monthAndYear, zoneInWords } from '@/lib/web/time'
import { hrefOf } from './line-text'
import { StatementRows, type StatementRow } from './statement-rows'

interface Props {
  readonly caption: string
  readonly code: CurrencyCode
  readonly lines: readonly StatementLine[]
  /** The lines grouped by month, newest first. */
  readonly months?: boolean
}

/** A statement: each entry with its amount and the balance after it. Two columns on a phone, four in print. */
export function StatementTable({ caption, code, lines, months = false }: Props) {
  return (
    <table className="w-full border-collapse text-left">
      <caption className="sr-only">{caption}</caption>
      <thead className="label max-md:sr-only">
        <tr>
          <th className="w-32 pb-1 font-normal">Date ({zoneInWords(pageZone())})</th>
          <th className="pb-1 font-normal">Description</th>
          <th className="pb-1 text-right font-normal">Amount</th>
          <th className="w-36 pb-1 text-right font-normal">Balance</th>
        </tr>
      </thead>
      {groupsOf(lines, months).map(([month, group]) => (
        <tbody key={month}>
          {months ? (
            <tr>
              <th scope="rowgroup" colSpan={4} className="pt-6 pb-1 font-serif text-lg font-normal">
                {month}
              </th>
            </tr>
          ) : null}
          <StatementRows rows={group.map((line) => toRow(line, code))} />
        </tbody>
      ))}
    </table>
  )
}

function toRow({ id, at, text, memo, about, amount, balance }: StatementLine, code: CurrencyCode): StatementRow {
  return {
    id: String(id),
    live: `${id} ${amount} ${code}`,
    at: at.toISOString(),
    fullDate: dateAndTime(at),
    date: dayAndTime(at, pageZone()),
    text,
    memo,
    href: hrefOf(about),
    amount: (amount > 0n ? '+' : '') + formatAmount(amount, code),
    balance: formatAmount(balance, code),
  }
}

function groupsOf(lines: readonly StatementLine[], months: boolean): [string, readonly StatementLine[]][] {
  if (!months) return [['', lines]]
  const groups = new Map<string, StatementLine[]>()
  for (const line of lines) {
    const month = monthAndYear(line.at, pageZone())
    groups.set(month, [...(groups.get(month) ?? []), line])
  }
  return [...groups]
}
