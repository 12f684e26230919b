import { Amount } from '@/components/ui/amount'
import { application } from '@/lib/backend/application'
import type { WalletAccount } from '@/lib/ledger/accounts'
import type { CurrencyCode } from '@/lib/money/currencies'

interface Props {
  readonly wallets: readonly WalletAccount[]
  /** The wallet that would pay. */
  readonly code: CurrencyCode
  /** What it would have to hold, in ledger units; unknown where any wallet may pay. */
  readonly debit?: bigint
  /** The form to choose another wallet, where there is a choice. */
  readonly otherWallet?: string
}

/** Instead of a button that would only be refused: what the wallet holds, and the ways to have enough. */
export function CannotPay({ wallets, code, debit, otherWallet }: Props) {
  const wallet = wallets.find((each) => each.code === code)
  const from = wallets.find((each) => each.code !== code && each.available > 0n)
  return (
    <div className="mt-6">
      {debit === undefined || wallet === undefined ? null : (
        <p role="alert" className="max-w-2xl border-l-2 border-red pl-3">
          You have <Amount units={wallet.available} code={code} />, and this takes <Amount units={debit} code={code} />.
        </p>
      )}
      <p className="mt-4 flex flex-wrap gap-3">
        {application().settings.sandboxTools ? (
          <a className="button button-sandbox" href={`/wallets/${code}#faucet`}>
            Add test money to {code}
          </a>
        ) : null}
        {from === undefined ? null : (
          <a className="button" href={`/wallets/${from.code}?to=${code}#convert`}>
            Convert {from.code} to {code}
          </a>
        )}
        {otherWallet === undefined || wallets.length < 2 ? null : (
          <a className="button" href={otherWallet}>
            Choose another wallet
          </a>
        )}
      </p>
    </div>
  )
}
