import type { CurrencyCode } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import { Figures } from './figures'

interface Props {
  /** Ledger units. */
  readonly units: bigint
  readonly code: CurrencyCode
  /** Shows a plus sign before incoming amounts. The minus sign is always shown. */
  readonly signed?: boolean
}

export function Amount({ units, code, signed = false }: Props) {
  return <Figures text={(signed && units > 0n ? '+' : '') + formatAmount(units, code)} code={code} />
}
