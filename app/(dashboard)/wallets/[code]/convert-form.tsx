import { Field, Select } from '@/components/ui/field'
import { UserForm } from '@/components/user-form'
import type { Currency } from '@/lib/money/currencies'

interface Props {
  readonly from: Currency
  readonly others: readonly Currency[]
  /** What the user typed before an error. */
  readonly amount: string
  readonly to: string | undefined
  readonly errors: Readonly<Record<string, string>>
}

export function ConvertForm({ from, others, amount, to, errors }: Props) {
  if (others.length === 0) return <p className="mt-2 text-muted">You have no other wallet to convert into.</p>
  return (
    <UserForm action="/wallets/convert/price" className="mt-3 grid gap-4">
      <input type="hidden" name="from" value={from.code} />
      <Field
        label={`Amount in ${from.code}`}
        name="amount"
        value={amount}
        error={errors.amount}
        inputMode="decimal"
        required
      />
      <Select
        label="Convert to"
        name="to"
        chosen={to}
        error={errors.to}
        options={others.map(({ code, name }) => [code, `${code}, ${name}`])}
      />
      <p className="label">You see the rate and the result before anything is converted.</p>
      <button className="button justify-self-start">Continue</button>
    </UserForm>
  )
}
