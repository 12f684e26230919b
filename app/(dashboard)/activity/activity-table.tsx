import { Amount } from '@/components/ui/amount'
import type { Movement } from '@/lib/wallets/activity'
import { byMonth, dateAndTime, dayAndTime, zoneInWords } from '@/lib/web/time'
import { hrefOf, LineText } from '../wallets/line-text'
import { MonthRow } from '../wallets/month-row'

/** Movements of all wallets by month. Two columns on a phone. */
export function ActivityTable({ movements, zone }: { readonly movements: readonly Movement[]; readonly zone: string }) {
  return (
    <table className="mt-4 w-full border-collapse text-left">
      <caption className="sr-only">Movements of all wallets</caption>
      <thead className="label max-md:sr-only">
        <tr>
          <th className="w-32 pb-1 font-normal">Date ({zoneInWords(zone)})</th>
          <th className="pb-1 font-normal">Description</th>
          <th className="pb-1 text-right font-normal">Amount</th>
        </tr>
      </thead>
      {byMonth(movements, zone).map(([month, lines]) => (
        <tbody key={month}>
          <MonthRow month={month} columns={3} />
          {lines.map((line) => (
            <Row key={`${line.id} ${line.state}`} line={line} zone={zone} />
          ))}
        </tbody>
      ))}
    </table>
  )
}

function Row({ line, zone }: { readonly line: Movement; readonly zone: string }) {
  return (
    <tr
      className="line align-baseline max-md:grid max-md:grid-cols-[1fr_auto] max-md:items-baseline max-md:gap-x-4 max-md:py-2"
      data-live={`${line.id} ${line.state} ${line.amount} ${line.code}`}
    >
      <td className="label whitespace-nowrap max-md:row-start-2 md:py-1.5">
        <time dateTime={line.at.toISOString()} title={dateAndTime(line.at)}>
          {dayAndTime(line.at, zone)}
        </time>
      </td>
      <td className="min-w-0 break-words max-md:col-start-1 max-md:row-start-1 md:py-1.5 md:pr-4">
        <LineText text={line.text} memo={line.memo} href={hrefOf(line.about)} />
      </td>
      <td className="text-right max-md:col-start-2 max-md:row-start-1 md:py-1.5">
        {line.state === 'settled' ? (
          <Amount units={line.amount} code={line.code} signed />
        ) : (
          <span className="text-muted">
            <Amount units={line.amount} code={line.code} />
          </span>
        )}
      </td>
    </tr>
  )
}
