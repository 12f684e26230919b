import { pageZone } from '@/components/page-zone'
import { Amount } from '@/components/ui/amount'
import { Link } from '@/components/ui/link'
import type { CurrencyCode } from '@/lib/money/currencies'
import type { StatementLine } from '@/lib/wallets/queries'
import { dateAndTime, dayAndTime, monthAndYear, zoneInWords } from '@/lib/web/time'

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
          {group.map((line) => (
            <Row key={String(line.id)} line={line} code={code} />
          ))}
        </tbody>
      ))}
    </table>
  )
}

function Row({ line, code }: { readonly line: StatementLine; readonly code: CurrencyCode }) {
  return (
    <tr
      className="line align-baseline max-md:grid max-md:grid-cols-[1fr_auto] max-md:items-baseline max-md:gap-x-4 max-md:py-2"
      data-live={`${line.id} ${line.amount} ${code}`}
    >
      <td className="label whitespace-nowrap max-md:row-start-2 md:py-1.5">
        <time dateTime={line.at.toISOString()} title={dateAndTime(line.at)}>
          {dayAndTime(line.at, pageZone())}
        </time>
      </td>
      <td className="min-w-0 break-words max-md:col-start-1 max-md:row-start-1 md:py-1.5 md:pr-4">
        <What line={line} />
      </td>
      <td className="text-right max-md:col-start-2 max-md:row-start-1 md:py-1.5">
        <Amount units={line.amount} code={code} signed bare />
      </td>
      <td className="text-right max-md:row-start-2 max-md:text-sm max-md:text-muted md:py-1.5">
        <span className="md:hidden">balance </span>
        <Amount units={line.balance} code={code} bare />
      </td>
    </tr>
  )
}

/** The description of an entry, as a link to its payment or invoice if there is one. */
function What({ line: { text, memo, about } }: { readonly line: StatementLine }) {
  if (about === null) return <>{text}</>
  return (
    <>
      <Link
        className="row-link break-words text-ink decoration-rule hover:decoration-ink"
        href={about.what === 'invoice' ? `/invoices/${about.paymentHash}` : `/wallets/sent/${about.paymentHash}`}
      >
        {text}
      </Link>
      {memo === null ? null : <span className="label line-clamp-2 break-words">{memo}</span>}
    </>
  )
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
