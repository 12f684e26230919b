import type { CurrencyCode } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'

interface Props {
  /** Ledger units. */
  readonly units: bigint
  readonly code: CurrencyCode
  /** With a plus before what came in; the minus is always there. */
  readonly signed?: boolean
  /** Without the code, where a column or a heading names it. */
  readonly bare?: boolean
}

/** Figures that line up: minor units keep their size and are only muted. */
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
