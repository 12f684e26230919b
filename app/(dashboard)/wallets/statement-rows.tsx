'use client'

import { Figures } from '@/components/ui/figures'
import { LineText } from './line-text'

/** A line of a statement as the texts of its cells. */
export interface StatementRow {
  readonly id: string
  /** Changes when the row does. */
  readonly live: string
  readonly at: string
  readonly fullDate: string
  readonly date: string
  readonly text: string
  readonly memo: string | null
  /** The page of the payment or the invoice, if there is one. */
  readonly href: string | null
  readonly amount: string
  readonly balance: string
}

/**
 * The rows of a statement. A client component: the page then carries the texts of its fifty rows twice, but their elements only once.
 */
export function StatementRows({ rows }: { readonly rows: readonly StatementRow[] }) {
  return rows.map((row) => (
    <tr
      key={row.id}
      className="line align-baseline max-md:grid max-md:grid-cols-[1fr_auto] max-md:items-baseline max-md:gap-x-4 max-md:py-2"
      data-live={row.live}
    >
      <td className="label whitespace-nowrap max-md:row-start-2 md:py-1.5">
        <time dateTime={row.at} title={row.fullDate}>
          {row.date}
        </time>
      </td>
      <td className="min-w-0 break-words max-md:col-start-1 max-md:row-start-1 md:py-1.5 md:pr-4">
        <LineText text={row.text} memo={row.memo} href={row.href} />
      </td>
      <td className="text-right max-md:col-start-2 max-md:row-start-1 md:py-1.5">
        <Figures text={row.amount} />
      </td>
      <td className="text-right max-md:row-start-2 max-md:text-sm max-md:text-muted md:py-1.5">
        <span className="md:hidden">balance </span>
        <Figures text={row.balance} />
      </td>
    </tr>
  ))
}
