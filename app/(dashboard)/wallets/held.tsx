import { Amount } from '@/components/ui/amount'
import type { CurrencyCode } from '@/lib/money/currencies'

/** The money held for pending payments, hatched like all unsettled amounts. */
export function Held({ units, code }: { readonly units: bigint; readonly code: CurrencyCode }) {
  return units === 0n ? null : (
    <p className="hatch mt-2 inline-block border border-ochre px-2 py-0.5 text-sm">
      <Amount units={units} code={code} /> reserved for payments in progress
    </p>
  )
}
