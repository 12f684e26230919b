import type { WalletAccount } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import { PROBLEM_ID } from './notice'

type Options = readonly (readonly [value: string, words: string])[]

interface Props {
  readonly label: string
  readonly name: string
  readonly chosen: string | undefined
  /** The field that the problem above is about. */
  readonly atFault: boolean
  readonly children: Options
}

/** A list to choose from, with its label above. */
export function Choice({ label, name, chosen, atFault, children }: Props) {
  return (
    <label className="grid gap-1">
      <span className="label">{label}</span>
      <select
        className="field"
        name={name}
        defaultValue={chosen}
        aria-invalid={atFault ? true : undefined}
        aria-describedby={atFault ? PROBLEM_ID : undefined}
      >
        {children.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The person's wallets with what is in them. */
export function walletChoices(wallets: readonly WalletAccount[]): Options {
  return wallets.map(({ code, available }) => [
    code,
    `${currencyOf(code).name}, ${formatAmount(available, code)} ${code}`,
  ])
}
