import type { CurrencyCode } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'

interface Props {
  /** Ledger units. */
  readonly units: bigint
  readonly code: CurrencyCode
  /** Shows a plus sign before incoming amounts. The minus sign is always shown. */
  readonly signed?: boolean
  /** Omits the currency code, when a column or a heading has it. */
  readonly bare?: boolean
}

/** An amount whose digits align in columns: minor units keep their size and are only muted. */
export function Amount({ units, code, signed = false, bare = false }: Props) {
  const text = formatAmount(units, code)
  const point = text.indexOf('.')
  return (
    <span className="figures whitespace-nowrap">
      {signed && units > 0n ? '+' : ''}
      {point < 0 ? text : text.slice(0, point)}
      {point < 0 ? null : <span className="text-muted">{text.slice(point)}</span>}
      {bare ? null : ` ${code}`}
    </span>
  )
}
