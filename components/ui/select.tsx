import type { WalletAccount } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import { FieldProblem, problemIdOf } from './field'

type Options = readonly (readonly [value: string, words: string])[]

interface Props {
  readonly label: string
  readonly name: string
  readonly chosen: string | undefined
  /** What is wrong with it, and what to do. */
  readonly problem?: string | undefined
  readonly children: Options
}

/** A list to choose from, with its label above; plain text where there is only one choice. */
export function Choice({ label, name, chosen, problem, children }: Props) {
  const [first] = children
  if (children.length === 1 && first !== undefined)
    return (
      <div className="grid gap-1">
        <span className="label">{label}</span>
        <p>{first[1]}</p>
        <input type="hidden" name={name} value={first[0]} />
        <FieldProblem name={name} problem={problem} />
      </div>
    )
  return (
    <div className="grid gap-1">
      <label className="label" htmlFor={name}>
        {label}
      </label>
      <select
        className="field scroll-mt-24"
        id={name}
        name={name}
        defaultValue={chosen}
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={problem === undefined ? undefined : problemIdOf(name)}
      >
        {children.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <FieldProblem name={name} problem={problem} />
    </div>
  )
}

/** The person's wallets with what is in them. */
export function walletChoices(wallets: readonly WalletAccount[]): Options {
  return wallets.map(({ code, available }) => [
    code,
    `${currencyOf(code).name}, ${formatAmount(available, code)} ${code}`,
  ])
}
