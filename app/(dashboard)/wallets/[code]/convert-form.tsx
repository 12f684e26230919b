import { type Currency, RATES_AS_OF } from '@/lib/money/currencies'
import { dateOnly } from '@/lib/ui/time'
import { ACTIONS } from '@/lib/ui/actions'
import { Field } from '@/components/ui/field'
import { RequestId } from '@/components/request-id'
import { PersonForm } from '@/components/user-form'

interface Props {
  readonly from: Currency
  readonly others: readonly Currency[]
  /** Typed before an error. */
  readonly amount: string
  readonly to: string
  /** What is wrong with the amount. */
  readonly problem: string | undefined
}

export function ConvertForm({ from, others, amount, to, problem }: Props) {
  if (others.length === 0) return <p className="mt-2 text-muted">You have no other wallet to convert to.</p>
  return (
    <PersonForm action={ACTIONS.convert} className="mt-3 grid gap-4">
      <RequestId />
      <input type="hidden" name="from" value={from.code} />
      <Field label={`Amount in ${from.code}`} name="amount" value={amount} problem={problem} inputMode="decimal" />
      <label className="grid gap-1">
        <span className="label">To the wallet</span>
        <select className="field" name="to" defaultValue={to}>
          {others.map((currency) => (
            <option key={currency.code} value={currency.code}>
              {currency.code}, {currency.name}
            </option>
          ))}
        </select>
      </label>
      <p className="label">
        At the sandbox’s fixed rates of{' '}
        <time className="whitespace-nowrap" dateTime={RATES_AS_OF}>
          {dateOnly(new Date(RATES_AS_OF))}
        </time>
        , which are no market data.
      </p>
      <button className="button justify-self-start">Convert</button>
    </PersonForm>
  )
}
